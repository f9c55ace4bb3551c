package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.tunnel.codec.WrittenRows;
import io.tunnel.core.WriterCore.Answered;
import io.tunnel.core.WriterCore.Dated;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.core.WriterCore.Verdict;
import io.tunnel.model.value.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class WriterCoreTest {

  private static final long NOW = 1_700_000_000_000_000L;

  private final WriterCore core = new WriterCore();

  private static Bytes writer(long micros, int id) {
    return writer(micros, 0, id);
  }

  private static Bytes writer(long micros, long principal, long id) {
    ByteBuffer writer = ByteBuffer.allocate(WrittenRows.WRITER_BYTES);
    return Bytes.copyOf(writer.putLong(micros).putLong(principal).putLong(id).array());
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
    assertThat(small.judge(new Numbered(writer(NOW, 1), 1, 0), NOW))
        .isInstanceOf(Verdict.Ended.class);
    assertThat(small.judge(new Numbered(writer(NOW - 1, 9), 1, 0), NOW))
        .isInstanceOf(Verdict.Ended.class);
    assertThat(small.judge(new Numbered(writer(NOW, 9), 1, 0), NOW))
        .asInstanceOf(type(Verdict.Ended.class))
        .extracting(Verdict.Ended::dateMicros)
        .isEqualTo(NOW + 1);
    assertThat(small.judge(new Numbered(writer(NOW + 1, 9), 1, 0), NOW))
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

  /** A store gives writers in the order of their keys, which says nothing of their age. */
  @Test
  void restored_writers_are_evicted_by_age_in_whatever_order_they_are_stored() {
    int count = 10;
    for (long seed = 0; seed < 50; seed++) {
      WriterCore first = new WriterCore();
      for (int id = 0; id < count; id++) {
        first.applied(writer(NOW, id), answered(1, id + 1, 1, NOW + id));
      }
      List<Map.Entry<Bytes, Optional<Dated>>> stored =
          new ArrayList<>(first.takeChanged().writers().entrySet());
      Collections.shuffle(stored, new Random(seed));
      WriterCore crowded = new WriterCore(count, WriterCore.KEPT_MICROS, WriterCore.Memory.NONE);
      WriterCore silent = new WriterCore();
      for (Map.Entry<Bytes, Optional<Dated>> one : stored) {
        crowded.restore(one.getKey(), one.getValue().orElseThrow());
        silent.restore(one.getKey(), one.getValue().orElseThrow());
      }
      crowded.restored();
      silent.restored();
      for (int gone = 1; gone <= count; gone++) {
        crowded.applied(writer(NOW, count + gone), answered(1, 99, 1, NOW + count));
        silent.applied(
            writer(NOW, count), answered(gone, 99, 1, NOW + gone + WriterCore.KEPT_MICROS));
        for (int id = 0; id < count; id++) {
          assertThat(crowded.applied().containsKey(writer(NOW, id)))
              .as("seed %d, writer %d, %d too many", seed, id, gone)
              .isEqualTo(id >= gone);
          assertThat(silent.applied().containsKey(writer(NOW, id)))
              .as("seed %d, writer %d, silent since before %d", seed, id, gone)
              .isEqualTo(id >= gone);
        }
      }
    }
  }

  @Test
  void a_writer_from_the_future_is_refused() {
    Bytes ahead = writer(NOW + WriterCore.AHEAD_MICROS + 1, 1);
    assertThat(judge(ahead, 1, 0)).isInstanceOf(Verdict.Ended.class);
    assertThat(judge(writer(NOW + WriterCore.AHEAD_MICROS, 1), 1, 0))
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
  void a_writer_that_changes_its_date_stays_the_same_writer() {
    core.applied(writer(NOW, 1), answered(4, 10, 3, NOW));
    Bytes later = writer(NOW + 5, 1);
    assertThat(judge(later, 5, 0)).isInstanceOf(Verdict.Fresh.class);
    core.applied(later, answered(5, 20, 1, NOW));
    assertThat(judge(writer(NOW, 1), 4, 0)).as("arrives late").isInstanceOf(Verdict.Ended.class);
    assertThat(judge(writer(NOW + 9, 1), 5, 0)).isInstanceOf(Verdict.Repeated.class);
    Bytes earlier = writer(NOW - 5, 1);
    assertThat(judge(earlier, 6, 5)).isInstanceOf(Verdict.Fresh.class);
    core.applied(earlier, answered(6, 30, 1, NOW));
    core.writers().forEach(core::forget);
    assertThat(judge(later, 5, 0)).as("below the floor").isInstanceOf(Verdict.Ended.class);
  }

  @Test
  void a_date_that_is_negative_or_far_ahead_is_refused_and_the_right_date_is_told() {
    for (long date : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, NOW + 60_000_001}) {
      Verdict verdict = judge(writer(date, 1), 1, 0);
      assertThat(verdict).as("%d", date).isInstanceOf(Verdict.Ended.class);
      assertThat(((Verdict.Ended) verdict).dateMicros()).isEqualTo(NOW);
    }
    core.applied(writer(NOW, 1), answered(1, 1, 1, NOW));
    assertThat(judge(writer(Long.MAX_VALUE, 1), 2, 1)).isInstanceOf(Verdict.Ended.class);
  }

  /** Principal 1 opens writers as fast as it can, and dates them as far ahead as it may. */
  @Test
  void a_principal_that_opens_writers_without_end_stops_no_other_principal() {
    Bytes before = writer(NOW, 2, 1);
    core.applied(before, answered(1, 1, 1, NOW));
    for (int i = 0; i < 5_000; i++) {
      Bytes hostile = writer(NOW + WriterCore.AHEAD_MICROS, 1, i);
      Verdict verdict = judge(hostile, 1, 0);
      if (verdict instanceof Verdict.Ended ended) {
        hostile = writer(ended.dateMicros(), 1, i);
      }
      core.rejected(hostile, answered(1, 0, 0, NOW));
    }
    assertThat(core.size()).isEqualTo(WriterCore.WRITERS_MAX);
    assertThat(judge(before, 1, 0)).as("still known").isInstanceOf(Verdict.Repeated.class);
    assertThat(judge(writer(NOW, 2, 2), 1, 0)).as("a new one").isInstanceOf(Verdict.Fresh.class);
    assertThat(judge(writer(NOW, 3, 1), 1, 0))
        .as("of a third principal")
        .isInstanceOf(Verdict.Fresh.class);
  }

  @Test
  void the_floors_are_bounded_and_a_writer_below_any_of_them_is_never_new() {
    int principals = 2 * WriterCore.FLOORS_MAX;
    for (int i = 0; i < principals; i++) {
      core.applied(writer(NOW + i, i, 1), answered(1, i + 1, 1, NOW));
      core.writers().forEach(core::forget);
    }
    for (int i = 0; i < principals; i++) {
      assertThat(judge(writer(NOW + i, i, 1), 1, 0)).isInstanceOf(Verdict.Ended.class);
    }
    assertThat(judge(writer(NOW + principals, 0, 1), 1, 0)).isInstanceOf(Verdict.Fresh.class);
    Map<Bytes, Optional<Long>> floors = core.takeChanged().floors();
    assertThat(floors.values().stream().filter(Optional::isPresent).count())
        .isEqualTo(WriterCore.FLOORS_MAX + 1);
  }

  @Test
  void a_clock_that_steps_ahead_and_back_ends_no_writer_for_long() {
    long hour = 3_600_000_000L;
    core.applied(writer(NOW, 1), answered(1, 1, 1, NOW));
    core.applied(writer(NOW + hour, 2), answered(1, 2, 1, NOW + hour));
    core.applied(writer(NOW + hour, 3), answered(1, 3, 1, NOW + hour));
    core.writers().forEach(core::forget);
    Verdict verdict = judge(writer(NOW, 4), 1, 0);
    long told = ((Verdict.Ended) verdict).dateMicros();
    assertThat(judge(writer(told, 4), 1, 0)).isInstanceOf(Verdict.Fresh.class);
  }

  /** What a model knows of a batch of a client under the date that it had. */
  private record Sent(Bytes writer, long number, long after) {

    /** The client: principal and id. */
    long client() {
      return ByteBuffer.wrap(writer.toByteArray()).getLong(16);
    }
  }

  /**
   * Clients send, repeat, give up and pause, and date their writers anew when they are refused;
   * batches arrive late; the clock steps; the partition crashes, and resumes from what was stored,
   * at any moment that the log has, and from the log. The model knows all.
   */
  @Test
  void no_batch_is_applied_twice_nor_out_of_order_whatever_is_forgotten() {
    long ended = 0;
    for (long seed = 0; seed < 3_000; seed++) {
      World world = new World(seed);
      world.run();
      ended += world.ended;
    }
    assertThat(ended).as("writers that were refused and dated anew").isGreaterThan(3_000);
  }

  /** A client of the model. */
  private static final class Client {
    private final long principal;
    private final long id;
    private long dateMicros;
    private long number;
    private long told;

    Client(long principal, long id, long dateMicros) {
      this.principal = principal;
      this.id = id;
      this.dateMicros = dateMicros;
    }

    Sent next() {
      return new Sent(writer(dateMicros, principal, id), ++number, told);
    }
  }

  private static final class World {
    private final Random random;
    private final long seed;
    private WriterCore core;
    private long now = NOW;
    private long ended;

    /** The log: every batch with applied rows. */
    private final List<Sent> log = new ArrayList<>();

    private final List<Answered> answers = new ArrayList<>();

    /** What is stored, and the batches of the log that it certainly has. */
    private final Map<Bytes, Dated> stored = new HashMap<>();

    private final Map<Bytes, Long> storedFloors = new HashMap<>();
    private int storedLog;

    private final Map<Sent, Answered> first = new HashMap<>();
    private final List<Sent> inDoubt = new ArrayList<>();
    private final Map<Long, Long> lastApplied = new HashMap<>();
    private final List<Client> clients = new ArrayList<>();

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
        int dice = random.nextInt(40);
        if (dice < 2 || clients.isEmpty()) {
          clients.add(new Client(random.nextInt(3), clients.size(), now));
        } else if (dice < 4) {
          restart();
        } else if (dice == 4) {
          now += random.nextInt(4_000) - 2_000;
        } else if (dice < 10) {
          store();
        } else if (dice < 18 && !inDoubt.isEmpty()) {
          arrive(inDoubt.get(random.nextInt(inDoubt.size())));
        } else {
          send(clients.get(random.nextInt(clients.size())));
        }
      }
    }

    private void send(Client client) {
      Sent sent = client.next();
      inDoubt.add(sent);
      if (random.nextInt(4) == 0) {
        return;
      }
      Verdict verdict = arrive(sent);
      if (verdict instanceof Verdict.Ended refused) {
        // The answer came, so no copy of the batch is on its way.
        inDoubt.remove(sent);
        ended++;
        client.dateMicros = refused.dateMicros();
        client.told = 0;
        Sent anew = client.next();
        inDoubt.add(anew);
        assertThat(arrive(anew)).as("seed %d, %s", seed, anew).isInstanceOf(Verdict.Fresh.class);
      }
    }

    private Verdict arrive(Sent sent) {
      Verdict verdict = core.judge(new Numbered(sent.writer(), sent.number(), sent.after()), now);
      boolean wasApplied = log.contains(sent);
      if (verdict instanceof Verdict.Repeated repeated) {
        assertThat(repeated.answered()).as("seed %d, %s", seed, sent).isEqualTo(first.get(sent));
        heard(sent, repeated.answered());
      } else if (verdict instanceof Verdict.Fresh) {
        assertThat(wasApplied).as("seed %d: %s is applied twice", seed, sent).isFalse();
        assertThat(sent.number())
            .as("seed %d: %s comes behind a later batch", seed, sent)
            .isGreaterThan(lastApplied.getOrDefault(sent.client(), 0L));
        apply(sent);
      }
      return verdict;
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
        lastApplied.put(sent.client(), sent.number());
        core.applied(sent.writer(), answered);
      }
      if (random.nextInt(3) > 0) {
        heard(sent, answered);
      }
    }

    /** The client gets the answer; copies of the batch may still be on their way. */
    private void heard(Sent sent, Answered answered) {
      Client client = clients.get((int) sent.client());
      if (answered.rows() > 0 && sent.writer().equals(writerOf(client))) {
        client.told = Math.max(client.told, sent.number());
      }
      if (random.nextBoolean()) {
        inDoubt.remove(sent);
      }
    }

    private static Bytes writerOf(Client client) {
      return writer(client.dateMicros, client.principal, client.id);
    }

    private void store() {
      WriterCore.Changes changes = core.takeChanged();
      changes.writers().forEach((id, known) -> storeOrRemove(stored, id, known));
      changes.floors().forEach((whose, floor) -> storeOrRemove(storedFloors, whose, floor));
      // The rows are folded later than what is stored beside them, never sooner.
      storedLog += random.nextInt(log.size() - storedLog + 1);
    }

    private static <T> void storeOrRemove(Map<Bytes, T> all, Bytes key, Optional<T> value) {
      if (value.isPresent()) {
        all.put(key, value.get());
      } else {
        all.remove(key);
      }
    }

    private void restart() {
      core = small();
      storedFloors.forEach(core::restoreFloor);
      stored.forEach(core::restore);
      core.restored();
      for (int i = storedLog; i < log.size(); i++) {
        core.applied(log.get(i).writer(), answers.get(i));
      }
      // Copies of batches that were rejected as a whole died with their connections.
      inDoubt.removeIf(sent -> !log.contains(sent) && first.containsKey(sent));
    }
  }
}
