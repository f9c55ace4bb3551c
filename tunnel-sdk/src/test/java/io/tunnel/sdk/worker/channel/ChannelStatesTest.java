package io.tunnel.sdk.worker.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The moves of a channel: in worlds of random events, every move is legal, and every legal move
 * occurs.
 */
class ChannelStatesTest {

  private static final int SEEDS = 4_000;
  private static final int STEPS = 120;
  private static final Ending[] ENDINGS = {
    Ending.SHUTDOWN, Ending.REVOKED, Ending.STOPPED, Ending.FENCED, Ending.LOST
  };

  @Test
  void every_move_is_legal_and_every_legal_move_is_made() {
    Set<String> made = new TreeSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      World world = new World(seed, made);
      try {
        for (int step = 0; step < STEPS; step++) {
          world.step();
        }
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + "\n" + String.join("\n", world.script), e);
      }
    }
    Set<String> legal = new TreeSet<>();
    for (ChannelState from : ChannelState.values()) {
      from.next().forEach(to -> legal.add(from + " to " + to));
    }
    assertThat(made).isEqualTo(legal);
  }

  @Test
  void what_comes_in_no_order_that_there_is_breaks_the_channel() {
    WorkerChannelCore core = new WorkerChannelCore(RunningChannel.LIMITS, 0);
    assertThatThrownBy(core::told).hasMessageContaining("WAITING cannot move to TOLD");
    assertThatThrownBy(core::processorStopped).hasMessageContaining("WAITING");
    assertThatThrownBy(core::begin).hasMessageContaining("WAITING");
    core.opening();
    assertThatThrownBy(core::opening).hasMessageContaining("OPENING cannot move to OPENING");
    assertThat(core.opened(0)).isTrue();
    assertThatThrownBy(() -> core.opened(0)).hasMessageContaining("RUNNING");
    assertThatThrownBy(core::begin).hasMessageContaining("no delivery waits");
    assertThatThrownBy(core::processingDone).hasMessageContaining("NONE");
    core.granted(100);
    core.delivered(1, 1, 1, 10);
    assertThat(core.begin()).isEqualTo(1);
    core.delivered(2, 2, 1, 10);
    assertThatThrownBy(core::begin).hasMessageContaining("PROCESSING cannot move to PROCESSING");
    assertThat(core.failed(true)).isTrue();
    assertThatThrownBy(core::processingDone).hasMessageContaining("PAUSING");
  }

  @Test
  void users_are_told_what_a_channel_does_and_not_what_it_waits_for() {
    assertThat(Arrays.stream(ChannelState.values()).map(ChannelState::shown).distinct())
        .containsExactly(
            "WAITING",
            "OPENING",
            "RUNNING",
            "DRAINING",
            "HOLDING",
            "STOPPING",
            "CHECKPOINTING",
            "RELEASING",
            "CLOSED");
  }

  /** A channel whose runner, processor and server answer in any order, and always answer. */
  private static final class World {
    private final Random random;
    private final Set<String> made;
    private final WorkerChannelCore core;
    private final List<String> script = new ArrayList<>();
    private boolean isTelling;
    private boolean isStopping;
    private boolean isStoring;
    private boolean isReleasing;
    private boolean isPausing;
    private boolean isProcessing;
    private boolean hasEnd;

    World(long seed, Set<String> made) {
      this.random = new Random(seed);
      this.made = made;
      this.core =
          new WorkerChannelCore(new ChannelLimits(10, 100, random.nextBoolean() ? 5 : 0), 0);
    }

    private boolean chance(int oneIn) {
      return random.nextInt(oneIn) == 0;
    }

    void step() {
      switch (random.nextInt(12)) {
        case 0, 1 -> call("open", this::open);
        case 2, 3 -> call("deliver", this::deliver);
        case 4 -> call("process", this::process);
        case 5 -> call("told", this::told);
        case 6 -> call("stopped", this::stopped);
        case 7 -> call("checkpoint", this::checkpointAnswered);
        case 8 -> call("release", this::releaseAnswered);
        case 9 -> call("pause over", this::pauseOver);
        default -> {
          if (chance(8)) {
            Ending ending = ENDINGS[random.nextInt(ENDINGS.length)];
            call("end " + ending, () -> core.end(ending));
          }
        }
      }
      call("next", this::next);
    }

    /** A call may make several moves: the shortest path of legal moves between the two states. */
    private void call(String what, Runnable event) {
      ChannelState before = core.state();
      event.run();
      ChannelState after = core.state();
      script.add(what + ": " + before + " to " + after);
      List<ChannelState> way = way(before, after);
      for (int i = 1; i < way.size(); i++) {
        made.add(way.get(i - 1) + " to " + way.get(i));
      }
      check();
    }

    private static List<ChannelState> way(ChannelState from, ChannelState to) {
      Map<ChannelState, ChannelState> cameFrom = new EnumMap<>(ChannelState.class);
      Deque<ChannelState> open = new ArrayDeque<>(List.of(from));
      while (!open.isEmpty() && !open.peek().equals(to)) {
        ChannelState here = open.remove();
        for (ChannelState next : here.next()) {
          if (next != from && cameFrom.putIfAbsent(next, here) == null) {
            open.add(next);
          }
        }
      }
      assertThat(open).as("there is a way from %s to %s", from, to).isNotEmpty();
      List<ChannelState> way = new ArrayList<>();
      for (ChannelState at = to; at != null; at = cameFrom.get(at)) {
        way.add(at);
      }
      Collections.reverse(way);
      return way;
    }

    private void check() {
      switch (core.state()) {
        case WAITING, OPEN_PAUSING, RUNNING -> assertThat(core.ending()).isEqualTo(Ending.NONE);
        case OPENING -> assertThat(core.bufferedBytes()).isZero();
        case DRAINING, TELLING, TOLD -> assertThat(core.ending()).isNotEqualTo(Ending.NONE);
        case HOLDING -> assertThat(core.ending()).isEqualTo(Ending.ENDED);
        case STOPPING,
            CHECKPOINTING,
            CHECKPOINT_PAUSING,
            RELEASING,
            RELEASE_ASKED,
            RELEASE_PAUSING,
            RELEASED,
            CLOSED -> {
          assertThat(core.ending()).isNotEqualTo(Ending.NONE);
          assertThat(core.bufferedBytes()).isZero();
        }
      }
    }

    private void open() {
      if (core.state() == ChannelState.WAITING) {
        core.opening();
      } else if (core.state() == ChannelState.OPENING) {
        if (chance(3)) {
          boolean again = core.openFailed(chance(2));
          assertThat(again).isEqualTo(core.state() == ChannelState.OPEN_PAUSING);
        } else {
          assertThat(core.opened(0)).isEqualTo(core.state() == ChannelState.RUNNING);
        }
      }
    }

    private void deliver() {
      if (core.state().compareTo(ChannelState.RUNNING) >= 0 && !hasEnd) {
        if (chance(6)) {
          hasEnd = true;
          core.endsAt(core.received() + random.nextInt(2));
        } else {
          core.granted(10);
          var unused = core.delivered(core.received() + 1, core.received() + 3, 3, 10);
        }
      }
    }

    private void process() {
      if (isProcessing) {
        isProcessing = false;
        if (!chance(4)) {
          core.processingDone();
          if (!chance(3)) {
            // The processor checkpoints by itself.
            core.done(core.given(), true);
          }
        } else if (core.failed(chance(2))) {
          isProcessing = core.inputPauseOver();
        }
      }
    }

    private void told() {
      if (isTelling) {
        isTelling = false;
        core.told();
      }
    }

    private void stopped() {
      if (isStopping) {
        isStopping = false;
        core.processorStopped();
      }
    }

    private void checkpointAnswered() {
      if (isStoring) {
        isStoring = false;
        if (chance(2)) {
          core.checkpointStored();
        } else {
          isPausing |= core.checkpointFailed(!chance(4));
        }
      }
    }

    private void releaseAnswered() {
      if (isReleasing) {
        isReleasing = false;
        if (chance(2)) {
          core.released();
        } else if (core.releaseFailed()) {
          isPausing = true;
        } else {
          // A failed release ends the session.
          core.end(chance(2) ? Ending.LOST : Ending.REVOKED);
        }
      }
    }

    private void pauseOver() {
      if (core.openPauseOver()) {
        assertThat(core.state()).isEqualTo(ChannelState.OPENING);
      } else if (isPausing) {
        isPausing = false;
        core.endPauseOver();
      }
    }

    private void next() {
      switch (core.next(random.nextInt(20))) {
        case WAIT -> {}
        case PROCESS -> {
          assertThat(core.begin()).isPositive();
          isProcessing = true;
        }
        case TELL -> isTelling = true;
        case CHECKPOINT -> {
          assertThat(isStoring).isFalse();
          assertThat(core.beginCheckpoint(0)).isGreaterThan(core.checkpointed());
          isStoring = true;
        }
        case STOP_PROCESSOR -> isStopping = true;
        case RELEASE, STOP_CHANNEL -> {
          assertThat(core.state()).isEqualTo(ChannelState.RELEASE_ASKED);
          isReleasing = true;
        }
        case CLOSE -> assertThat(core.state()).isEqualTo(ChannelState.CLOSED);
      }
    }
  }
}
