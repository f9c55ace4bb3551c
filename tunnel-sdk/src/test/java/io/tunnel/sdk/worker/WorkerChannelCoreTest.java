package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.worker.WorkerChannelCore.Action;
import io.tunnel.sdk.worker.WorkerChannelCore.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerChannelCoreTest {

  private static final Limits LIMITS = new Limits(50, 600, 100);
  private static final Limits MANUAL = new Limits(50, 600, 0);
  private static final int CREDIT_BYTES = 1_000;

  private static final List<Ending> ENDINGS =
      List.of(
          Ending.SHUTDOWN,
          Ending.REVOKED,
          Ending.STOPPED,
          Ending.FENCED,
          Ending.UNREADABLE,
          Ending.LOST);

  private static WorkerChannelCore running(Limits limits, long checkpointed) {
    WorkerChannelCore core = new WorkerChannelCore(limits, checkpointed);
    core.opening();
    assertThat(core.opened(0)).isTrue();
    core.granted(CREDIT_BYTES);
    return core;
  }

  private static void tell(WorkerChannelCore core, Farewell farewell) {
    assertThat(core.next(0)).isEqualTo(Action.TELL);
    assertThat(core.farewell()).isEqualTo(farewell);
    assertThat(core.next(0)).as("waits until the processor was told").isEqualTo(Action.WAIT);
    core.told();
  }

  private static void processTo(WorkerChannelCore core, long last) {
    core.delivered(core.received() + 1, last, 1, 10);
    assertThat(core.next(0)).isEqualTo(Action.PROCESS);
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
    assertThat(core.next(0)).isEqualTo(Action.PROCESS);
    assertThat(core.begin()).isEqualTo(2);
    assertThat(core.given()).isEqualTo(40);
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
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
    assertThat(core.next(1_000)).isEqualTo(Action.WAIT);
    core.delivered(1, 10, 10, 100);
    core.begin();
    assertThat(core.next(1_000)).isEqualTo(Action.WAIT);
    core.processingDone();
    assertThat(core.next(99)).isEqualTo(Action.WAIT);
    assertThat(core.awaitsCheckpoint()).isTrue();
    assertThat(core.next(100)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(100)).isEqualTo(10);
    assertThat(core.next(500)).isEqualTo(Action.WAIT);
    core.checkpointStored();
    assertThat(core.checkpointed()).isEqualTo(10);
    assertThat(core.next(500)).isEqualTo(Action.WAIT);
  }

  @Test
  void a_failed_last_checkpoint_is_tried_again_a_few_times_when_that_may_help() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.begin();
    core.processingDone();
    core.end(Ending.REVOKED);
    tell(core, Farewell.CLOSING);
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    for (int i = 0; i < 4; i++) {
      assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
      core.beginCheckpoint(0);
      assertThat(core.checkpointFailed(true)).isTrue();
      assertThat(core.next(0)).isEqualTo(Action.WAIT);
      core.pauseOver();
    }
    core.beginCheckpoint(0);
    assertThat(core.checkpointFailed(true)).isFalse();
    assertThat(core.next(0)).isEqualTo(Action.RELEASE);
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    core.released();
    assertThat(core.next(0)).isEqualTo(Action.CLOSE);
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
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    assertThat(core.processingDone()).isZero();
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CLOSE);
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
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(Action.CLOSE);
  }

  @Test
  void a_channel_that_ends_before_it_opened_is_released_at_once_or_after_opening() {
    WorkerChannelCore waiting = new WorkerChannelCore(LIMITS, 0);
    waiting.end(Ending.REVOKED);
    assertThat(waiting.next(0)).isEqualTo(Action.RELEASE);
    WorkerChannelCore opening = new WorkerChannelCore(LIMITS, 0);
    opening.opening();
    opening.end(Ending.REVOKED);
    assertThat(opening.next(0)).isEqualTo(Action.WAIT);
    assertThat(opening.opened(0)).isFalse();
    tell(opening, Farewell.CLOSING);
    assertThat(opening.next(0)).isEqualTo(Action.STOP_PROCESSOR);
  }

  @Test
  void a_channel_whose_end_was_processed_is_told_checkpointed_there_and_released() {
    WorkerChannelCore core = running(LIMITS, 5);
    core.delivered(6, 8, 3, 100);
    core.endsAt(9); // Nothing is at 9 any more, and nothing ever will be.
    assertThatThrownBy(() -> core.delivered(9, 9, 1, 1)).hasMessageContaining("after the end at 9");
    assertThat(core.next(0)).isEqualTo(Action.PROCESS);
    core.begin();
    assertThat(core.isAtEnd()).isTrue();
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    core.processingDone();
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(9);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(Action.RELEASE);
    core.released();
    assertThat(core.next(0)).isEqualTo(Action.CLOSE);
  }

  @Test
  void a_channel_that_ends_where_it_was_assigned_is_released_at_once() {
    WorkerChannelCore core = new WorkerChannelCore(LIMITS, 5);
    core.endsAt(5);
    core.opening();
    assertThat(core.opened(0)).isTrue();
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.RELEASE);
  }

  @Test
  void positions_that_are_no_changes_are_checkpointed_when_all_before_them_is_processed() {
    WorkerChannelCore core = running(LIMITS, 5);
    core.settled(7);
    assertThat(core.received()).as("where to attach").isEqualTo(7);
    assertThat(core.next(100)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(100)).isEqualTo(7);
    core.checkpointStored();
    assertThatThrownBy(() -> core.delivered(7, 7, 1, 1)).hasMessageContaining("after 7");
    core.delivered(8, 10, 3, 100);
    core.settled(12);
    assertThat(core.next(200)).isEqualTo(Action.PROCESS);
    core.begin();
    assertThat(core.next(200)).as("before it is processed").isEqualTo(Action.WAIT);
    core.processingDone();
    assertThat(core.next(200)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(200)).isEqualTo(12);
    core.checkpointStored();
    core.settled(11); // Said by a former leader.
    assertThat(core.next(1_000)).isEqualTo(Action.WAIT);
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
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).as("both inputs were one").isEqualTo(25);
    WorkerChannelCore dropping = running(new Limits(10, 600, 100), 0);
    dropping.delivered(1, 10, 10, 100);
    dropping.delivered(11, 20, 10, 100);
    dropping.settled(25);
    dropping.begin();
    dropping.end(Ending.SHUTDOWN);
    dropping.processingDone();
    tell(dropping, Farewell.CLOSING);
    assertThat(dropping.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    dropping.processorStopped();
    assertThat(dropping.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(dropping.beginCheckpoint(0)).isEqualTo(10);
  }

  @Test
  void with_manual_checkpoints_what_is_settled_waits_for_the_processors_word_alone() {
    WorkerChannelCore core = running(MANUAL, 5);
    core.settled(7);
    assertThat(core.next(0)).as("there is nothing to have a word on").isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(7);
    core.checkpointStored();
    processTo(core, 10);
    core.settled(12);
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    assertThat(core.done(10, false)).isEqualTo(10);
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(12);
    assertThat(core.checkpointFailed(true)).isFalse();
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    core.settled(12); // What the runner does after a pause.
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
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
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
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
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(Action.RELEASE);
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
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    assertThat(core.state()).isEqualTo(ChannelState.HOLDING);
    assertThat(core.done(10, true)).isEqualTo(10);
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.RELEASE);
  }

  @Test
  void a_held_end_gives_way_to_a_shutdown_and_is_not_taken_for_finished() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    core.endsAt(10);
    tell(core, Farewell.ENDED);
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    core.end(Ending.SHUTDOWN);
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CLOSE); // Told once: no closing after ended.
    assertThat(core.ending()).isEqualTo(Ending.SHUTDOWN);
  }

  @Test
  void a_shutdown_that_comes_while_the_processor_is_told_of_the_end_does_not_wait_either() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    core.endsAt(10);
    assertThat(core.next(0)).isEqualTo(Action.TELL);
    core.end(Ending.SHUTDOWN);
    core.told();
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    assertThat(core.ending()).isEqualTo(Ending.SHUTDOWN);
  }

  @Test
  void manual_checkpoints_go_one_at_a_time_and_later_ones_together() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    processTo(core, 20);
    processTo(core, 30);
    core.done(20, false);
    assertThat(core.next(0)).as("10 is undone").isEqualTo(Action.WAIT);
    core.done(10, false);
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(20);
    core.done(30, false);
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(30);
    assertThat(core.checkpointFailed(true)).isFalse();
    assertThat(core.next(0)).as("the processor is told, and may ask again").isEqualTo(Action.WAIT);
    core.done(30, false);
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
  }

  @Test
  void a_processor_can_checkpoint_while_it_is_told_of_the_end_but_not_after_it_was_revoked() {
    WorkerChannelCore core = running(MANUAL, 0);
    processTo(core, 10);
    core.end(Ending.REVOKED);
    assertThat(core.next(0)).isEqualTo(Action.TELL);
    core.done(10, true);
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    core.beginCheckpoint(0);
    core.end(Ending.FENCED);
    assertThat(core.checkpointFailed(false)).isFalse();
    core.done(10, true);
    core.told();
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CLOSE);
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
    assertThat(core.next(0)).isEqualTo(Action.STOP_PROCESSOR);
    core.processorStopped();
    assertThat(core.next(0)).isEqualTo(Action.CHECKPOINT);
    assertThat(core.beginCheckpoint(0)).isEqualTo(10);
    core.checkpointStored();
    assertThat(core.next(0)).isEqualTo(Action.STOP_CHANNEL);
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
      assertThat(core.next(0)).isEqualTo(Action.RELEASE);
      assertThat(core.releaseFailed()).isTrue();
      assertThat(core.next(0)).isEqualTo(Action.WAIT);
      assertThat(core.pauseOver()).isFalse();
    }
    assertThat(core.next(0)).isEqualTo(Action.RELEASE);
    assertThat(core.releaseFailed()).isFalse();
  }

  /** Drives a core with random events and checks what must hold after each. */
  private static final class Simulation {

    private final Random random;
    private final Limits limits;
    private final WorkerChannelCore core;
    private final int creditBytes;
    private final int attemptsMax;
    private final List<Long> undone = new ArrayList<>();
    private long markedUpTo;
    private long end = -1;
    private boolean isTelling;
    private Farewell told;
    private final List<String> script = new ArrayList<>();
    private long now;
    private long sent;

    /** Nothing is between {@link #sent} and here. */
    private long settled;

    /** How far a checkpoint could have gone at any moment. */
    private long reached;

    private long serverCredit;
    private long deliveredBytes;
    private long returnedBytes;
    private long processed;
    private long checkpointed;
    private boolean isProcessing;
    private boolean hasDropped;
    private boolean isStopped;
    private int stops;
    private long inFlightCheckpoint = -1;
    private boolean isReleased;
    private boolean lastOneFailed;

    Simulation(long seed) {
      random = new Random(seed);
      limits =
          new Limits(
              1 + random.nextInt(100),
              1 + random.nextInt(1_000),
              random.nextBoolean() ? 1 + random.nextInt(50) : 0);
      creditBytes = 1 + random.nextInt(2_000);
      attemptsMax = 1 + random.nextInt(3);
      checkpointed = random.nextInt(100);
      sent = checkpointed;
      settled = checkpointed;
      processed = checkpointed;
      markedUpTo = checkpointed;
      reached = checkpointed;
      core = new WorkerChannelCore(limits, checkpointed);
      core.opening();
      assertThat(core.opened(now)).isTrue();
      give(creditBytes);
    }

    private void give(int bytes) {
      core.granted(bytes);
      serverCredit += bytes;
    }

    void run(int steps) {
      for (int i = 0; i < steps && core.state() != ChannelState.CLOSED; i++) {
        now += random.nextInt(10);
        event();
        drain();
        check();
      }
      finish();
    }

    private void event() {
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3 -> deliver();
        case 4, 5, 6 -> processingDone();
        case 7 -> processingFailed();
        case 8 -> core.pauseOver();
        case 9, 10 -> answerCheckpoint(random.nextInt(5) > 0);
        case 11 -> {
          mark();
          tellingDone();
        }
        case 12 -> settle();
        default -> {
          endOfChannel();
          if (random.nextInt(15) == 0) {
            Ending ending = ENDINGS.get(random.nextInt(ENDINGS.size()));
            log("end " + ending);
            core.end(ending);
          }
        }
      }
    }

    private void deliver() {
      if (serverCredit <= 0 || end >= 0) {
        return;
      }
      int rows = 1 + random.nextInt(30);
      int bytes = 1 + random.nextInt(500);
      long first = Math.max(sent, settled) + 1 + random.nextInt(2);
      boolean kept = core.delivered(first, first + rows - 1, rows, bytes);
      log("deliver " + first + " " + rows + " kept " + kept);
      assertThat(kept).isEqualTo(core.state() == ChannelState.RUNNING);
      hasDropped |= !kept;
      if (kept) {
        sent = first + rows - 1;
        serverCredit -= bytes;
        deliveredBytes += bytes;
      }
    }

    private void settle() {
      if (end < 0) {
        long position = Math.max(sent, settled) + random.nextInt(3);
        log("settled " + position);
        core.settled(position);
        if (core.state() == ChannelState.RUNNING) {
          settled = position;
        }
      }
    }

    private long reach(long done) {
      return done >= sent ? Math.max(done, settled) : done;
    }

    private void processingDone() {
      if (isProcessing && core.attempts() == 0) {
        log("done");
        boolean isRunning = core.state() == ChannelState.RUNNING;
        processed = core.given();
        int credit = core.processingDone();
        isProcessing = false;
        giveBack(credit);
        assertThat(credit > 0).isEqualTo(isRunning);
      }
    }

    private void giveBack(int bytes) {
      if (bytes > 0) {
        returnedBytes += bytes;
        give(bytes);
      }
    }

    /** A processor that checkpoints by itself says of any input that it is done. */
    private void mark() {
      if (limits.isManual() && !undone.isEmpty()) {
        long position = undone.remove(random.nextInt(undone.size()));
        log("mark " + position);
        long needed = core.done(position, false);
        assertThat(needed).isGreaterThanOrEqualTo(position);
        markedUpTo = undone.isEmpty() ? core.given() : undone.get(0) - 1;
      }
    }

    private void tellingDone() {
      if (isTelling) {
        log("told");
        isTelling = false;
        core.told();
      }
    }

    private void endOfChannel() {
      if (end < 0 && random.nextInt(10) == 0) {
        long position = Math.max(sent, settled) + random.nextInt(3);
        log("end of channel at " + position);
        end = position;
        core.endsAt(position);
      }
    }

    private void processingFailed() {
      if (isProcessing && core.attempts() == 0) {
        log("failed");
        boolean again = core.failed(core.attempts() + 1 < attemptsMax);
        if (!again) {
          isProcessing = false;
          assertThat(core.state()).isNotEqualTo(ChannelState.RUNNING);
        } else if (core.pauseOver()) {
          // Tried again, and this time it works.
          log("again");
          processed = core.given();
          int credit = core.processingDone();
          isProcessing = false;
          giveBack(credit);
        }
      }
    }

    private void answerCheckpoint(boolean works) {
      if (inFlightCheckpoint < 0) {
        return;
      }
      log("checkpoint " + inFlightCheckpoint + " works " + works);
      if (works) {
        checkpointed = inFlightCheckpoint;
        core.checkpointStored();
      } else {
        lastOneFailed = core.state() == ChannelState.CHECKPOINTING;
        var unused = core.checkpointFailed(random.nextBoolean());
        core.pauseOver();
      }
      inFlightCheckpoint = -1;
    }

    private void drain() {
      for (Action action = core.next(now); action != Action.WAIT; action = core.next(now)) {
        log(action.name());
        switch (action) {
          case PROCESS -> {
            assertThat(isProcessing).as("one callback at a time").isFalse();
            assertThat(core.begin()).isPositive();
            isProcessing = true;
            undone.add(core.given());
          }
          case TELL -> {
            assertThat(told).as("told once").isNull();
            told = core.farewell();
            assertThat(isProcessing && told != Farewell.REVOKED).isFalse();
            assertThat(told == Farewell.REVOKED).isNotEqualTo(core.ending().isOurs());
            if (told == Farewell.ENDED) {
              assertThat(processed).isEqualTo(sent);
            }
            isTelling = true;
          }
          case CHECKPOINT -> {
            assertThat(inFlightCheckpoint).isNegative();
            assertThat(core.ending().isOurs()).isTrue();
            inFlightCheckpoint = core.beginCheckpoint(now);
            assertThat(inFlightCheckpoint).isGreaterThan(checkpointed);
            long done = limits.isManual() ? markedUpTo : processed;
            boolean isEnd = inFlightCheckpoint == end && done >= sent && !hasDropped;
            if (!isEnd) {
              assertThat(inFlightCheckpoint)
                  .as("all before it is done")
                  .isLessThanOrEqualTo(reach(done));
            }
          }
          case STOP_PROCESSOR -> {
            assertThat(isProcessing || isTelling).as("after the last callback").isFalse();
            assertThat(told).isNotNull();
            if (core.ending() == Ending.ENDED && limits.isManual()) {
              assertThat(checkpointed).as("held until checkpointed").isEqualTo(end);
            }
            stops++;
            isStopped = true;
            core.processorStopped();
          }
          case RELEASE, STOP_CHANNEL -> {
            assertThat(isStopped).isTrue();
            assertThat(isReleased).isFalse();
            assertThat(core.ending())
                .isIn(
                    action == Action.RELEASE
                        ? List.of(Ending.REVOKED, Ending.ENDED)
                        : List.of(Ending.STOPPED));
            isReleased = true;
            core.released();
          }
          case CLOSE -> assertThat(stops).isEqualTo(1);
          case WAIT -> throw new AssertionError();
        }
      }
    }

    private void check() {
      assertThat(core.checkpointed()).isEqualTo(checkpointed);
      assertThat(core.processed()).isEqualTo(processed).isLessThanOrEqualTo(core.given());
      reached = Math.max(reached, reach(processed));
      assertThat(core.received()).isEqualTo(Math.max(sent, settled));
      assertThat(core.given()).isLessThanOrEqualTo(sent);
      assertThat(core.bufferedBytes()).isNotNegative();
      if (core.state() == ChannelState.RUNNING) {
        assertThat(serverCredit + core.bufferedBytes())
            .as("credit is conserved")
            .isEqualTo(creditBytes);
        assertThat(core.bufferedBytes()).isEqualTo(deliveredBytes - returnedBytes);
      }
    }

    /** Whatever happened, the channel comes to its end when it is told to. */
    private void finish() {
      core.end(Ending.SHUTDOWN);
      for (int i = 0; i < 20 && core.state() != ChannelState.CLOSED; i++) {
        drain();
        processingDone();
        tellingDone();
        answerCheckpoint(true);
      }
      assertThat(core.state()).isEqualTo(ChannelState.CLOSED);
      boolean mayCheckpoint = core.ending().isOurs() && !limits.isManual();
      if (mayCheckpoint && !lastOneFailed) {
        long last = end >= 0 && processed == sent && !hasDropped ? end : reach(processed);
        assertThat(checkpointed)
            .as("everything processed is checkpointed")
            .isBetween(last, Math.max(last, reached));
      }
    }

    private void log(String line) {
      script.add(now + " " + line);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void invariants_hold_whatever_happens(int block) {
    for (long seed = block * 500L; seed < (block + 1) * 500L; seed++) {
      Simulation simulation = new Simulation(seed);
      try {
        simulation.run(300);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + "\n" + String.join("\n", simulation.script), e);
      }
    }
  }

  @Test
  void a_channel_that_ends_before_its_processor_is_tried_again_waits_for_no_pause() {
    WorkerChannelCore core = new WorkerChannelCore(LIMITS, 0);
    core.opening();
    assertThat(core.openFailed(true)).isTrue();
    core.end(Ending.REVOKED);
    assertThat(core.next(0)).isEqualTo(Action.RELEASE);
    assertThat(core.openPauseOver()).isFalse();
    core.released();
    assertThat(core.next(0)).isEqualTo(Action.CLOSE);
  }

  @Test
  void a_channel_that_ends_while_its_processor_is_made_waits_for_that_alone() {
    WorkerChannelCore core = new WorkerChannelCore(LIMITS, 0);
    core.opening();
    assertThat(core.openFailed(true)).isTrue();
    assertThat(core.openPauseOver()).isTrue();
    core.end(Ending.REVOKED);
    assertThat(core.next(0)).isEqualTo(Action.WAIT);
    assertThat(core.openFailed(true)).isFalse();
    assertThat(core.next(0)).isEqualTo(Action.RELEASE);
  }
}
