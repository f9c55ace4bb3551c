package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WorkerChannelCoreTest {

  private static final ChannelLimits LIMITS = new ChannelLimits(50, 600, 100);
  private static final ChannelLimits MANUAL = new ChannelLimits(50, 600, 0);
  private static final int CREDIT_BYTES = 1_000;

  private static WorkerChannelCore running(ChannelLimits limits, long checkpointed) {
    WorkerChannelCore core = new WorkerChannelCore(limits, checkpointed);
    core.opening();
    assertThat(core.opened(0)).isTrue();
    core.granted(CREDIT_BYTES);
    return core;
  }

  private static void tell(WorkerChannelCore core, Farewell farewell) {
    assertThat(core.next(0)).isEqualTo(ChannelAction.TELL);
    assertThat(core.farewell()).isEqualTo(farewell);
    assertThat(core.next(0)).as("waits until the processor was told").isEqualTo(ChannelAction.WAIT);
    core.told();
  }

  private static void processTo(WorkerChannelCore core, long last) {
    core.delivered(core.received() + 1, last, 1, 10);
    assertThat(core.next(0)).isEqualTo(ChannelAction.PROCESS);
    core.begin();
    core.processingDone();
  }

  @Test
  void an_input_is_filled_up_to_its_limits_and_never_empty() {
    WorkerChannelCore core = running(LIMITS, 0);
    assertThat(core.delivered(1, 10, 10, 100)).isTrue();
    core.delivered(11, 40, 30, 100);
    core.delivered(41, 60, 20, 100);
    core.delivered(61, 160, 100, 100); // Alone over the limit of rows.
    assertThat(core.next(0)).isEqualTo(ChannelAction.PROCESS);
    assertThat(core.begin()).isEqualTo(2);
    assertThat(core.given()).isEqualTo(40);
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    assertThat(core.processingDone()).isEqualTo(200);
    assertThat(core.begin()).isEqualTo(1);
    assertThat(core.processingDone()).isEqualTo(100);
    assertThat(core.begin()).isEqualTo(1);
    assertThat(core.given()).isEqualTo(160);
  }

  @Test
  void what_is_delivered_twice_or_without_credit_is_a_broken_promise() {
    WorkerChannelCore core = running(LIMITS, 5);
    assertThatThrownBy(() -> core.delivered(5, 6, 2, 10)).hasMessageContaining("after 5");
    core.delivered(6, 10, 5, 900);
    core.delivered(11, 12, 2, 900); // Overdraws, which one delivery may.
    assertThatThrownBy(() -> core.delivered(13, 13, 1, 1)).hasMessageContaining("credit of -800");
  }

  @Test
  void a_checkpoint_is_due_when_the_interval_has_passed_and_there_is_progress() {
    WorkerChannelCore core = running(LIMITS, 0);
    assertThat(core.next(1_000)).isEqualTo(ChannelAction.WAIT);
    core.delivered(1, 10, 10, 100);
    core.begin();
    assertThat(core.next(1_000)).isEqualTo(ChannelAction.WAIT);
    core.processingDone();
    assertThat(core.next(99)).isEqualTo(ChannelAction.WAIT);
    assertThat(core.awaitsCheckpoint()).isTrue();
    assertThat(core.next(100)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(100)).isEqualTo(10);
    assertThat(core.next(500)).isEqualTo(ChannelAction.WAIT);
    core.checkpointStored();
    assertThat(core.checkpointed()).isEqualTo(10);
    assertThat(core.next(500)).isEqualTo(ChannelAction.WAIT);
  }

  @Test
  void a_failed_last_checkpoint_is_tried_again_a_few_times_when_that_may_help() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.begin();
    core.processingDone();
    core.end(Ending.REVOKED);
    tell(core, Farewell.CLOSING);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    for (int i = 0; i < 4; i++) {
      assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
      core.beginCheckpoint(0);
      assertThat(core.checkpointFailed(true)).isTrue();
      assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
      core.pauseOver();
    }
    core.beginCheckpoint(0);
    assertThat(core.checkpointFailed(true)).isFalse();
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    core.released();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CLOSE);
    assertThat(core.state()).isEqualTo(ChannelState.CLOSED);
  }

  @Test
  void a_channel_that_is_lost_is_neither_checkpointed_nor_released() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.begin();
    core.end(Ending.REVOKED);
    core.end(Ending.LOST);
    core.end(Ending.SHUTDOWN); // Weaker: changes nothing.
    tell(core, Farewell.REVOKED); // At once, though the callback runs.
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    assertThat(core.processingDone()).isZero();
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CLOSE);
    assertThat(core.ending()).isEqualTo(Ending.LOST);
  }

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
  void at_a_shutdown_channels_are_checkpointed_and_left_to_the_end_of_the_session() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.begin();
    core.processingDone();
    core.end(Ending.SHUTDOWN);
    tell(core, Farewell.CLOSING);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CLOSE);
  }

  @Test
  void a_channel_that_ends_before_it_opened_is_released_at_once_or_after_opening() {
    WorkerChannelCore waiting = new WorkerChannelCore(LIMITS, 0);
    waiting.end(Ending.REVOKED);
    assertThat(waiting.next(0)).isEqualTo(ChannelAction.RELEASE);
    WorkerChannelCore opening = new WorkerChannelCore(LIMITS, 0);
    opening.opening();
    opening.end(Ending.REVOKED);
    assertThat(opening.next(0)).isEqualTo(ChannelAction.WAIT);
    assertThat(opening.opened(0)).isFalse();
    tell(opening, Farewell.CLOSING);
    assertThat(opening.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
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
    assertThatThrownBy(() -> core.endsAt(11)).hasMessageContaining("up to 12");
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

  /** The server finishes a channel that comes back at its end, so there is no next holder. */
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
  void an_end_before_what_was_delivered_is_a_broken_promise() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    assertThatThrownBy(() -> core.endsAt(9)).hasMessageContaining("delivered up to 10");
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
  void manual_checkpoints_go_one_at_a_time_and_later_ones_together() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    processTo(core, 20);
    processTo(core, 30);
    core.done(20, false);
    assertThat(core.next(0)).as("10 is undone").isEqualTo(ChannelAction.WAIT);
    core.done(10, false);
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(20);
    core.done(30, false);
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(30);
    assertThat(core.checkpointFailed(true)).isFalse();
    assertThat(core.next(0))
        .as("the processor is told, and may ask again")
        .isEqualTo(ChannelAction.WAIT);
    core.done(30, false);
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
  }

  @Test
  void a_processor_can_checkpoint_while_it_is_told_of_the_end_but_not_after_it_was_revoked() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    core.end(Ending.REVOKED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.TELL);
    core.done(10, true);
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    core.beginCheckpoint(0);
    core.end(Ending.FENCED);
    assertThat(core.checkpointFailed(false)).isFalse();
    core.done(10, true);
    core.told();
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CLOSE);
  }

  @Test
  void an_input_that_fails_for_good_stops_the_channel_after_a_last_checkpoint() {
    WorkerChannelCore core = running(LIMITS, 0);
    processTo(core, 10);
    core.delivered(11, 20, 10, 10);
    core.begin();
    assertThat(core.failed(true)).isTrue();
    assertThat(core.pauseOver()).isTrue();
    assertThat(core.failed(false)).isFalse();
    tell(core, Farewell.CLOSING);
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(ChannelAction.STOP_CHANNEL);
  }

  @Test
  void an_input_that_fails_while_the_channel_moves_is_left_to_the_next_holder() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 10);
    core.begin();
    core.end(Ending.REVOKED);
    assertThat(core.failed(true)).isFalse();
    assertThat(core.ending()).isEqualTo(Ending.REVOKED);
  }

  @Test
  void a_release_that_does_not_arrive_is_tried_again_a_few_times() {
    WorkerChannelCore core = new WorkerChannelCore(LIMITS, 0);
    core.end(Ending.REVOKED);
    for (int i = 1; i < WorkerChannelCore.LAST_WORD_ATTEMPTS_MAX; i++) {
      assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
      assertThat(core.releaseFailed()).isTrue();
      assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
      assertThat(core.pauseOver()).isFalse();
    }
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
    assertThat(core.releaseFailed()).isFalse();
  }

  @Test
  void a_channel_that_ends_before_its_processor_is_tried_again_waits_for_no_pause() {
    WorkerChannelCore core = new WorkerChannelCore(LIMITS, 0);
    core.opening();
    assertThat(core.openFailed(true)).isTrue();
    core.end(Ending.REVOKED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
    assertThat(core.openPauseOver()).isFalse();
    core.released();
    assertThat(core.next(0)).isEqualTo(ChannelAction.CLOSE);
  }

  @Test
  void a_channel_that_ends_while_its_processor_is_made_waits_for_that_alone() {
    WorkerChannelCore core = new WorkerChannelCore(LIMITS, 0);
    core.opening();
    assertThat(core.openFailed(true)).isTrue();
    assertThat(core.openPauseOver()).isTrue();
    core.end(Ending.REVOKED);
    assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
    assertThat(core.openFailed(true)).isFalse();
    assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
  }
}
