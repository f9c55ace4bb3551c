package io.tunnel.sdk.worker.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.worker.channel.Ending.Farewell;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A channel with events in any order, and its invariants after each event. */
class WorkerChannelSimulationTest {

  private static final List<Ending> ENDINGS =
      List.of(Ending.SHUTDOWN, Ending.REVOKED, Ending.STOPPED, Ending.FENCED, Ending.LOST);

  /** Drives a core with random events, and checks the invariants after each event. */
  private static final class Simulation {

    private final Random random;
    private final ChannelLimits limits;
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

    /** No change exists between {@link #sent} and this position. */
    private long settled;

    /** The highest position that could have been checkpointed so far. */
    private long reached;

    private long serverCredit;
    private long deliveredBytes;
    private long returnedBytes;
    private long processed;
    private long checkpointed;
    private boolean isProcessing;
    private int failures;
    private boolean hasDropped;
    private boolean isStopped;
    private int stops;
    private long inFlightCheckpoint = -1;
    private boolean isReleased;
    private boolean lastOneFailed;

    Simulation(long seed) {
      random = new Random(seed);
      limits =
          new ChannelLimits(
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
        case 8 -> core.endPauseOver();
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
      if (isProcessing && failures == 0) {
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

    /** A processor that checkpoints by itself marks any input as done. */
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
      if (isProcessing && failures == 0) {
        log("failed");
        failures++;
        boolean again = core.failed(failures < attemptsMax);
        if (!again) {
          isProcessing = false;
          assertThat(core.state()).isNotEqualTo(ChannelState.RUNNING);
        } else if (core.inputPauseOver()) {
          // The retry succeeds.
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
        core.endPauseOver();
      }
      inFlightCheckpoint = -1;
    }

    private void drain() {
      for (ChannelAction action = core.next(now);
          action != ChannelAction.WAIT;
          action = core.next(now)) {
        log(action.name());
        switch (action) {
          case PROCESS -> {
            assertThat(isProcessing).as("one callback at a time").isFalse();
            assertThat(core.begin()).isPositive();
            isProcessing = true;
            failures = 0;
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
                    action == ChannelAction.RELEASE
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

    /** After any events, the channel ends when asked to. */
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
}
