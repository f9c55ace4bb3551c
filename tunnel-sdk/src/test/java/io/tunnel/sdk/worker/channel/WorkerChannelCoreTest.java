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

class WorkerChannelCoreTest {

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
  void a_checkpoint_that_is_refused_for_now_keeps_the_progress_and_is_tried_less_and_less_often() {
    WorkerChannelCore core = running(LIMITS, 0);
    long now = 0;
    long position = 0;
    for (long factor : new long[] {1, 2, 4, 8, 16, 16}) {
      processTo(core, ++position);
      assertThat(core.next(now + factor * 100 - 1)).isEqualTo(ChannelAction.WAIT);
      now += factor * 100;
      assertThat(core.next(now)).isEqualTo(ChannelAction.CHECKPOINT);
      assertThat(core.beginCheckpoint(now)).isEqualTo(position);
      assertThat(core.checkpointFailed(true)).isFalse();
      assertThat(core.state()).isEqualTo(ChannelState.RUNNING);
    }
    now += 1_600;
    core.beginCheckpoint(now);
    core.checkpointStored();
    assertThat(core.checkpointed()).isEqualTo(position);
    processTo(core, ++position);
    assertThat(core.next(now + 100)).isEqualTo(ChannelAction.CHECKPOINT);
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
      core.endPauseOver();
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
    assertThat(core.inputPauseOver()).isTrue();
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
    for (int i = 1; i < WorkerChannelCore.END_ATTEMPTS_MAX; i++) {
      assertThat(core.next(0)).isEqualTo(ChannelAction.RELEASE);
      assertThat(core.releaseFailed()).isTrue();
      assertThat(core.next(0)).isEqualTo(ChannelAction.WAIT);
      assertThat(core.inputPauseOver()).isFalse();
      core.endPauseOver();
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
