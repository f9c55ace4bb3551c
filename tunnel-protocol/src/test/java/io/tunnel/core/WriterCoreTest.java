package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.WriterCore.Answered;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.core.WriterCore.Verdict;
import io.tunnel.model.value.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class WriterCoreTest {

  private static final long NOW = 1_700_000_000_000_000L;

  private final WriterCore core = new WriterCore();

  private static Bytes writer(long micros, int id) {
    return Bytes.copyOf(ByteBuffer.allocate(16).putLong(micros).putLong(id).array());
  }

  private static Answered answered(long number, long position, int rows, long micros) {
    return new Answered(number, position, rows, Bytes.copyOf(new byte[(int) (number % 5)]), micros);
  }

  private Verdict judge(Bytes writer, long number, long after) {
    return core.judge(new Numbered(writer, number, after), NOW);
  }

  @Test
  void a_batch_that_comes_again_gets_its_answer() {
    Bytes writer = writer(NOW, 1);
    assertThat(judge(writer, 1, 0)).isInstanceOf(Verdict.Fresh.class);
    core.applied(writer, answered(1, 10, 3, NOW));
    assertThat(judge(writer, 1, 0)).isEqualTo(new Verdict.Repeated(answered(1, 10, 3, NOW)));
    assertThat(judge(writer, 2, 1)).isInstanceOf(Verdict.Fresh.class);
    core.rejected(writer, answered(2, 0, 0, NOW));
    assertThat(judge(writer, 2, 1)).isEqualTo(new Verdict.Repeated(answered(2, 0, 0, NOW)));
    assertThat(judge(writer, 3, 1)).isInstanceOf(Verdict.Fresh.class);
  }

  @Test
  void a_batch_behind_a_later_one_and_a_batch_behind_a_hole_are_refused() {
    Bytes writer = writer(NOW, 1);
    core.applied(writer, answered(4, 10, 3, NOW));
    assertThat(judge(writer, 3, 2)).isInstanceOf(Verdict.Ended.class);
    assertThat(judge(writer, 6, 5)).isInstanceOf(Verdict.Ended.class);
    assertThat(judge(writer, 6, 4)).as("batch 5 was given up").isInstanceOf(Verdict.Fresh.class);
  }

  @Test
  void a_writer_that_is_not_known_is_new_only_above_all_that_are_forgotten() {
    assertThat(judge(writer(NOW, 1), 5, 4)).isInstanceOf(Verdict.Ended.class);
    WriterCore small = new WriterCore(2, WriterCore.KEPT_MICROS, WriterCore.Memory.NONE);
    for (int i = 1; i <= 3; i++) {
      small.applied(writer(NOW, i), answered(1, i, 1, NOW));
    }
    assertThat(small.floor()).isEqualTo(writer(NOW, 1));
    assertThat(small.judge(new Numbered(writer(NOW, 1), 1, 0), NOW))
        .isInstanceOf(Verdict.Ended.class);
    assertThat(small.judge(new Numbered(writer(NOW - 1, 9), 1, 0), NOW))
        .isInstanceOf(Verdict.Ended.class);
    assertThat(small.judge(new Numbered(writer(NOW, 9), 1, 0), NOW))
        .isInstanceOf(Verdict.Fresh.class);
  }

  @Test
  void a_silent_writer_is_forgotten() {
    core.applied(writer(NOW, 1), answered(1, 1, 1, NOW));
    core.applied(writer(NOW, 2), answered(1, 2, 1, NOW + WriterCore.KEPT_MICROS));
    assertThat(core.size()).isEqualTo(2);
    core.applied(writer(NOW, 3), answered(1, 3, 1, NOW + WriterCore.KEPT_MICROS + 1));
    assertThat(core.size()).isEqualTo(2);
  }

  @Test
  void a_writer_from_the_future_is_refused() {
    Bytes ahead = writer(NOW + WriterCore.AHEAD_MICROS_MAX + 1, 1);
    assertThat(judge(ahead, 1, 0)).isInstanceOf(Verdict.Ended.class);
    assertThat(judge(writer(NOW + WriterCore.AHEAD_MICROS_MAX, 1), 1, 0))
        .isInstanceOf(Verdict.Fresh.class);
  }

  @Test
  void a_batch_of_which_more_rows_are_found_has_these_rows_and_never_fewer() {
    Bytes writer = writer(NOW, 1);
    core.applied(writer, answered(2, 10, 1, NOW));
    core.applied(writer, answered(2, 10, 3, NOW));
    core.applied(writer, answered(2, 10, 2, NOW));
    assertThat(judge(writer, 2, 0)).isEqualTo(new Verdict.Repeated(answered(2, 10, 3, NOW)));
    assertThat(core.applied()).containsOnlyKeys(writer);
  }

  @Test
  void a_log_that_gives_up_what_is_old_knows_no_old_writer_and_takes_none_for_new() {
    core.applied(writer(NOW, 1), answered(1, 1, 1, NOW));
    core.applied(writer(NOW, 2), answered(1, 2, 1, NOW + 10));
    core.rejected(writer(NOW, 3), answered(1, 0, 0, NOW + 20));
    core.forgetBefore(NOW + 10);
    assertThat(core.size()).isEqualTo(2);
    assertThat(judge(writer(NOW, 1), 1, 0)).isInstanceOf(Verdict.Ended.class);
    assertThat(judge(writer(NOW, 2), 1, 0)).isInstanceOf(Verdict.Repeated.class);
    assertThat(judge(writer(NOW + 9, 4), 1, 0)).isInstanceOf(Verdict.Ended.class);
    assertThat(judge(writer(NOW + 10, 4), 1, 0)).isInstanceOf(Verdict.Fresh.class);
    core.forgetBefore(NOW + 30);
    assertThat(core.size()).as("also the last one").isZero();
    core.forgetBefore(NOW);
    assertThat(judge(writer(NOW + 29, 4), 1, 0)).as("never back").isInstanceOf(Verdict.Ended.class);
  }

  /** What a model knows of a batch of a writer. */
  private record Sent(Bytes writer, long number, long after) {}

  /**
   * Writers send, repeat, give up and pause; batches arrive late; the partition crashes, and goes
   * on from what was stored, at any moment that the log has, and from the log. The model knows all.
   */
  @Test
  void no_batch_is_applied_twice_nor_out_of_order_whatever_is_forgotten() {
    for (long seed = 0; seed < 3_000; seed++) {
      new World(seed).run();
    }
  }

  private static final class World {
    private final Random random;
    private final long seed;
    private WriterCore core;
    private long now = NOW;

    /** The log: every batch with applied rows. */
    private final List<Sent> log = new ArrayList<>();

    private final List<Answered> answers = new ArrayList<>();

    /** What is stored, and the batches of the log that it certainly has. */
    private Map<Bytes, Answered> stored = new HashMap<>();

    private Bytes storedFloor = Bytes.EMPTY;
    private int storedLog;

    private final Map<Sent, Answered> first = new HashMap<>();
    private final List<Sent> inDoubt = new ArrayList<>();
    private final Map<Bytes, Long> lastApplied = new HashMap<>();
    private final Map<Bytes, Long> numbers = new HashMap<>();
    private final Map<Bytes, Long> told = new HashMap<>();
    private final List<Bytes> writers = new ArrayList<>();

    World(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.core = small();
    }

    private WriterCore small() {
      return new WriterCore(3, 1_000, WriterCore.Memory.NONE);
    }

    void run() {
      for (int step = 0; step < 120; step++) {
        now += random.nextInt(60);
        int dice = random.nextInt(20);
        if (dice == 0 || writers.isEmpty()) {
          writers.add(writer(now, random.nextInt(1_000)));
        } else if (dice == 1) {
          restart();
        } else if (dice < 5) {
          store();
        } else if (dice < 9 && !inDoubt.isEmpty()) {
          arrive(inDoubt.get(random.nextInt(inDoubt.size())));
        } else {
          Bytes writer = writers.get(random.nextInt(writers.size()));
          long number = numbers.merge(writer, 1L, Long::sum);
          Sent sent = new Sent(writer, number, told.getOrDefault(writer, 0L));
          inDoubt.add(sent);
          if (random.nextInt(4) > 0) {
            arrive(sent);
          }
        }
      }
    }

    private void arrive(Sent sent) {
      Verdict verdict = core.judge(new Numbered(sent.writer(), sent.number(), sent.after()), now);
      boolean wasApplied = log.contains(sent);
      if (verdict instanceof Verdict.Repeated repeated) {
        assertThat(repeated.answered()).as("seed %d, %s", seed, sent).isEqualTo(first.get(sent));
        heard(sent, repeated.answered());
      } else if (verdict instanceof Verdict.Fresh) {
        assertThat(wasApplied).as("seed %d: %s is applied twice", seed, sent).isFalse();
        assertThat(sent.number())
            .as("seed %d: %s comes behind a later batch", seed, sent)
            .isGreaterThan(lastApplied.getOrDefault(sent.writer(), 0L));
        apply(sent);
      }
    }

    private void apply(Sent sent) {
      boolean isRejected = random.nextInt(5) == 0;
      Answered answered = answered(sent.number(), log.size() + 1L, isRejected ? 0 : 2, now);
      first.put(sent, answered);
      if (isRejected) {
        core.rejected(sent.writer(), answered);
      } else {
        log.add(sent);
        answers.add(answered);
        lastApplied.put(sent.writer(), sent.number());
        core.applied(sent.writer(), answered);
      }
      if (random.nextInt(3) > 0) {
        heard(sent, answered);
      }
    }

    /** The writer gets the answer; copies of the batch may still be on their way. */
    private void heard(Sent sent, Answered answered) {
      if (answered.rows() > 0) {
        told.merge(sent.writer(), sent.number(), Math::max);
      }
      if (random.nextBoolean()) {
        inDoubt.remove(sent);
      }
    }

    private void store() {
      core.takeChanged()
          .forEach(
              (writer, answered) -> {
                if (answered.isPresent()) {
                  stored.put(writer, answered.get());
                } else {
                  stored.remove(writer);
                }
              });
      storedFloor = core.floor();
      // The rows are folded later than what is stored beside them, never sooner.
      storedLog += random.nextInt(log.size() - storedLog + 1);
    }

    private void restart() {
      core = small();
      core.restoreFloor(storedFloor);
      stored.forEach(core::restore);
      core.restored();
      for (int i = storedLog; i < log.size(); i++) {
        core.applied(log.get(i).writer(), answers.get(i));
      }
      // Copies of batches that were rejected as a whole died with their connections.
      inDoubt.removeIf(sent -> !log.contains(sent) && first.containsKey(sent));
      assertThat(core.floor()).isGreaterThanOrEqualTo(storedFloor);
    }
  }
}
