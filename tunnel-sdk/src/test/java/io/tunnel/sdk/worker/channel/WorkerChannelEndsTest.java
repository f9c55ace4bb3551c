package io.tunnel.sdk.worker.channel;

import static io.tunnel.sdk.worker.channel.RunningChannel.LIMITS;
import static io.tunnel.sdk.worker.channel.RunningChannel.MANUAL;
import static io.tunnel.sdk.worker.channel.RunningChannel.processTo;
import static io.tunnel.sdk.worker.channel.RunningChannel.running;
import static io.tunnel.sdk.worker.channel.RunningChannel.tell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.worker.channel.Ending.Farewell;
import org.junit.jupiter.api.Test;

/** The end of a channel, and its progress over positions without changes. */
class WorkerChannelEndsTest {

  @Test
  void the_end_of_a_channel_is_not_checkpointed_when_changes_before_it_were_dropped() {
    WorkerChannelCore core = running(LIMITS, 0);
    processTo(core, 10);
    core.end(Ending.REVOKED);
    assertThat(core.delivered(11, 20, 10, 100)).as("what comes while it is given back").isFalse();
    core.endsAt(20);
    tell(core, Farewell.CLOSING);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();

    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
  }

  @Test
  void a_channel_whose_end_was_processed_is_told_checkpointed_there_and_released() {
    WorkerChannelCore core = running(LIMITS, 5);
    core.delivered(6, 8, 3, 100);
    core.endsAt(9); // Nothing is at 9 any more, and nothing ever will be.
    assertThatThrownBy(() -> core.delivered(9, 9, 1, 1)).hasMessageContaining("after the end at 9");
    assertThat(core.next(0)).isEqualTo(ChannelAction.PROCESS);
    core.begin();
    assertThat(core.isAtEnd()).isTrue();
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    core.processingDone();
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(9);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
    core.released();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CLOSE);
  }

  @Test
  void a_channel_that_ends_where_it_was_assigned_is_released_at_once() {
    WorkerChannelCore core = new WorkerChannelCore(LIMITS, 5);
    core.endsAt(5);
    core.opening();
    assertThat(core.opened(0)).isTrue();
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
  }

  @Test
  void an_end_that_comes_behind_dropped_changes_is_not_checkpointed() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.begin();
    core.end(Ending.SHUTDOWN);
    assertThat(core.delivered(11, 20, 10, 100)).as("kept").isFalse();
    core.endsAt(20);
    core.processingDone();
    tell(core, Farewell.CLOSING);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
  }

  /** A processor that waits for this checkpoint would wait for the next holder's checkpoint. */
  @Test
  void a_processor_that_is_done_waits_for_no_end_behind_dropped_changes() {
    WorkerChannelCore core = running(MANUAL, 0);
    core.delivered(1, 10, 10, 100);
    core.begin();
    core.end(Ending.REVOKED);
    assertThat(core.delivered(11, 20, 10, 100)).as("kept").isFalse();
    core.endsAt(20);
    assertThat(core.done(10, true)).as("what a checkpoint has to reach").isEqualTo(10);
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    core.checkpointStored();
    core.processingDone();
    tell(core, Farewell.CLOSING);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
  }

  /** The server finishes a channel that is given back at its end: no next holder exists. */
  @Test
  void a_channel_that_is_asked_for_while_its_last_changes_are_processed_ends() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.begin();
    core.endsAt(10);
    core.end(Ending.REVOKED);
    core.processingDone();
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
  }

  @Test
  void an_end_that_was_found_in_front_of_what_was_delivered_is_where_the_channel_is_checkpointed() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.delivered(11, 20, 10, 100);
    core.begin();
    core.endsAt(9);
    core.processingDone();
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(9);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
  }

  @Test
  void a_channel_that_was_checkpointed_behind_an_end_that_was_found_late_is_given_back() {
    WorkerChannelCore core = running(LIMITS, 0);
    processTo(core, 10);
    core.end(Ending.REVOKED);
    core.endsAt(9);
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(9);
  }

  @Test
  void with_manual_checkpoints_the_end_is_held_until_it_is_checkpointed() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    core.endsAt(10);
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    assertThat(core.state()).isEqualTo(ChannelState.HOLDING);
    assertThat(core.done(10, true)).isEqualTo(10);
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
  }

  @Test
  void a_held_end_gives_way_to_a_shutdown_and_is_not_taken_for_finished() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    core.endsAt(10);
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    core.end(Ending.SHUTDOWN);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CLOSE); // Told once: no closing after ended.
    assertThat(core.ending()).isEqualTo(Ending.SHUTDOWN);
  }

  @Test
  void a_shutdown_that_comes_while_the_processor_is_told_of_the_end_does_not_wait_either() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    core.endsAt(10);
    assertThat(core.next(0)).isEqualTo(ChannelAction.TELL);
    core.end(Ending.SHUTDOWN);
    core.told();
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    assertThat(core.ending()).isEqualTo(Ending.SHUTDOWN);
  }

  @Test
  void positions_that_are_no_changes_are_checkpointed_when_all_before_them_is_processed() {
    WorkerChannelCore core = running(LIMITS, 5);
    core.settled(7);
    assertThat(core.received()).as("where to attach").isEqualTo(7);
    assertThat(core.next(100)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(100)).isEqualTo(7);
    core.checkpointStored();
    assertThatThrownBy(() -> core.delivered(7, 7, 1, 1)).hasMessageContaining("after 7");
    core.delivered(8, 10, 3, 100);
    core.settled(12);
    assertThat(core.next(200)).isEqualTo(ChannelAction.PROCESS);
    core.begin();
    assertThat(core.next(200)).as("before it is processed").isEqualTo(ChannelAction.WAIT);
    core.processingDone();
    assertThat(core.next(200)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(200)).isEqualTo(12);
    core.checkpointStored();
    core.settled(11); // Said by a former leader.
    assertThat(core.next(1_000)).isEqualTo(ChannelAction.WAIT);
    core.endsAt(12);
    tell(core, Farewell.ENDED);
  }

  @Test
  void what_is_settled_behind_dropped_changes_is_not_progress() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.delivered(11, 20, 10, 100);
    core.settled(25);
    core.begin();
    core.end(Ending.SHUTDOWN);
    core.settled(30);
    core.processingDone();
    tell(core, Farewell.CLOSING);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).as("both inputs were one").isEqualTo(25);
    WorkerChannelCore dropping = running(new ChannelLimits(10, 600, 100), 0);
    dropping.delivered(1, 10, 10, 100);
    dropping.delivered(11, 20, 10, 100);
    dropping.settled(25);
    dropping.begin();
    dropping.end(Ending.SHUTDOWN);
    dropping.processingDone();
    tell(dropping, Farewell.CLOSING);
    assertThat(dropping.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    dropping.processorStopped();
    assertThat(dropping.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(dropping.beginCheckpoint(0)).isEqualTo(10);
  }

  @Test
  void with_manual_checkpoints_what_is_settled_waits_for_the_processors_word_alone() {
    WorkerChannelCore core = running(MANUAL, 5);
    core.settled(7);
    assertThat(core.next(0))
        .as("there is nothing to have a word on")
        .isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(7);
    core.checkpointStored();
    processTo(core, 10);
    core.settled(12);
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    assertThat(core.done(10, false)).isEqualTo(10);
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(12);
    assertThat(core.checkpointFailed(true)).isFalse();
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    core.settled(12); // What the runner does after a pause.
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
  }
}
