package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.worker.WorkerChannelCore.Action;
import io.tunnel.sdk.worker.WorkerChannelCore.Ending;
import io.tunnel.sdk.worker.WorkerChannelCore.Limits;
import io.tunnel.sdk.worker.WorkerChannelCore.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerChannelCoreTest {

  private static final Limits LIMITS = new Limits(1_000, 50, 600, 3, 100);

  private static final List<Ending> ENDINGS =
      List.of(Ending.SHUTDOWN, Ending.REVOKED, Ending.FAILED, Ending.FENCED, Ending.LOST);

  private static WorkerChannelCore running(Limits limits, long checkpointed) {
    WorkerChannelCore core = new WorkerChannelCore(limits, checkpointed);
    core.opening();
    assertThat(core.opened(0)).isEqualTo(limits.creditBytes());
    return core;
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
    assertThat(core.state()).isEqualTo(State.CLOSED);
  }

  @Test
  void a_channel_that_is_lost_is_neither_checkpointed_nor_released() {
    WorkerChannelCore core = running(LIMITS, 0);
    core.delivered(1, 10, 10, 100);
    core.begin();
    core.end(Ending.REVOKED);
    core.end(Ending.LOST);
    core.end(Ending.SHUTDOWN); // Weaker: changes nothing.
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
    assertThat(opening.opened(0)).isZero();
    assertThat(opening.next(0)).isEqualTo(Action.STOP_PROCESSOR);
  }

  /** Drives a core with random events and checks what must hold after each. */
  private static final class Simulation {

    private final Random random;
    private final Limits limits;
    private final WorkerChannelCore core;
    private final List<String> script = new ArrayList<>();
    private long now;
    private long sent;
    private long serverCredit;
    private long deliveredBytes;
    private long returnedBytes;
    private long processed;
    private long checkpointed;
    private boolean isProcessing;
    private boolean isStopped;
    private int stops;
    private long inFlightCheckpoint = -1;
    private boolean isReleased;
    private boolean lastOneFailed;

    Simulation(long seed) {
      random = new Random(seed);
      limits =
          new Limits(
              1 + random.nextInt(2_000),
              1 + random.nextInt(100),
              1 + random.nextInt(1_000),
              1 + random.nextInt(3),
              random.nextBoolean() ? 1 + random.nextInt(50) : 0);
      checkpointed = random.nextInt(100);
      sent = checkpointed;
      processed = checkpointed;
      core = new WorkerChannelCore(limits, checkpointed);
      core.opening();
      serverCredit = core.opened(now);
    }

    void run(int steps) {
      for (int i = 0; i < steps && core.state() != State.CLOSED; i++) {
        now += random.nextInt(10);
        event();
        drain();
        check();
      }
      finish();
    }

    private void event() {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> deliver();
        case 4, 5, 6 -> processingDone();
        case 7 -> processingFailed();
        case 8 -> core.pauseOver();
        case 9, 10 -> answerCheckpoint(random.nextInt(5) > 0);
        default -> {
          if (random.nextInt(15) == 0) {
            Ending ending = ENDINGS.get(random.nextInt(ENDINGS.size()));
            log("end " + ending);
            core.end(ending);
          }
        }
      }
    }

    private void deliver() {
      if (serverCredit <= 0) {
        return;
      }
      int rows = 1 + random.nextInt(30);
      int bytes = 1 + random.nextInt(500);
      long first = sent + 1 + random.nextInt(2);
      boolean kept = core.delivered(first, first + rows - 1, rows, bytes);
      log("deliver " + first + " " + rows + " kept " + kept);
      assertThat(kept).isEqualTo(core.state() == State.RUNNING);
      if (kept) {
        sent = first + rows - 1;
        serverCredit -= bytes;
        deliveredBytes += bytes;
      }
    }

    private void processingDone() {
      if (isProcessing && core.attempts() == 0) {
        log("done");
        boolean isRunning = core.state() == State.RUNNING;
        processed = core.given();
        int credit = core.processingDone();
        isProcessing = false;
        serverCredit += credit;
        returnedBytes += credit;
        assertThat(credit > 0).isEqualTo(isRunning);
      }
    }

    private void processingFailed() {
      if (isProcessing && core.attempts() == 0) {
        log("failed");
        boolean again = core.failed();
        if (!again) {
          isProcessing = false;
          assertThat(core.state()).isNotEqualTo(State.RUNNING);
        } else if (core.pauseOver()) {
          // Tried again, and this time it works.
          log("again");
          processed = core.given();
          int credit = core.processingDone();
          isProcessing = false;
          serverCredit += credit;
          returnedBytes += credit;
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
        lastOneFailed = core.state() == State.CHECKPOINTING;
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
          }
          case CHECKPOINT -> {
            assertThat(limits.checkpointsByItself()).isTrue();
            assertThat(inFlightCheckpoint).isNegative();
            inFlightCheckpoint = core.beginCheckpoint(now);
            assertThat(inFlightCheckpoint).isEqualTo(processed).isGreaterThan(checkpointed);
          }
          case STOP_PROCESSOR -> {
            assertThat(isProcessing).as("stopped after the last callback").isFalse();
            stops++;
            isStopped = true;
            core.processorStopped();
          }
          case RELEASE -> {
            assertThat(isStopped).isTrue();
            assertThat(isReleased).isFalse();
            assertThat(core.ending()).isIn(Ending.REVOKED, Ending.FAILED);
            isReleased = true;
            core.released();
          }
          case CLOSE -> assertThat(stops).isEqualTo(1);
          case WAIT -> throw new AssertionError();
        }
      }
    }

    private void check() {
      assertThat(core.checkpointed()).isLessThanOrEqualTo(core.processed());
      assertThat(core.processed()).isEqualTo(processed).isLessThanOrEqualTo(core.given());
      assertThat(core.given()).isLessThanOrEqualTo(sent);
      assertThat(core.bufferedBytes()).isNotNegative();
      if (core.state() == State.RUNNING) {
        assertThat(serverCredit + core.bufferedBytes())
            .as("credit is conserved")
            .isEqualTo(limits.creditBytes());
        assertThat(core.bufferedBytes()).isEqualTo(deliveredBytes - returnedBytes);
      }
    }

    /** Whatever happened, the channel comes to its end when it is told to. */
    private void finish() {
      core.end(Ending.SHUTDOWN);
      for (int i = 0; i < 20 && core.state() != State.CLOSED; i++) {
        drain();
        processingDone();
        answerCheckpoint(true);
      }
      assertThat(core.state()).isEqualTo(State.CLOSED);
      boolean mayCheckpoint = core.ending().isOurs() && limits.checkpointsByItself();
      if (mayCheckpoint && !lastOneFailed) {
        assertThat(checkpointed).as("everything processed is checkpointed").isEqualTo(processed);
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
}
