package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.ExpiryIndex.Entry;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The index and the rows are maps here; the core decides what becomes of their entries. */
final class ExpiryCoreTest {

  private static final int PARTITION = 1;
  private static final long HOUR = 3_600_000_000L;

  private final ExpiryCore core = new ExpiryCore();
  private final Map<Bytes, Long> rows = new HashMap<>();
  private final TreeSet<Entry> index =
      new TreeSet<>(Comparator.comparingLong(Entry::micros).thenComparing(Entry::key));
  private Expiry expiry = new Expiry(HOUR);
  private Expiry longest = expiry;
  private long now = 1_000 * HOUR;
  private long lastCommit;

  @BeforeEach
  void begin() {
    core.shows(now);
  }

  private void shows(long micros) {
    now = micros;
    core.shows(now);
  }

  private void write(String key) {
    Bytes of = TestRows.keyBytes(key);
    lastCommit = Math.max(lastCommit, now);
    rows.put(of, lastCommit);
    index.add(new Entry(expiry.indexMicros(lastCommit), of));
  }

  /** A leader with a slower clock has written a row; commit times of a partition never fall. */
  private void follow(String key, SplittableRandom random) {
    Bytes of = TestRows.keyBytes(key);
    lastCommit = Math.max(lastCommit, now - random.nextLong(HOUR / 10));
    rows.put(of, lastCommit);
    index.add(new Entry(expiry.indexMicros(lastCommit), of));
    core.saw(PARTITION, lastCommit);
  }

  private void alter(Expiry other) {
    expiry = other;
    longest = longest.ttlMicros() > other.ttlMicros() ? longest : other;
  }

  private ExpiryCore.Look sweep(int countMax) {
    List<Entry> first =
        index
            .tailSet(new Entry(core.fromMicros(PARTITION, longest.spanMicros()), Bytes.EMPTY), true)
            .stream()
            .limit(countMax)
            .toList();
    ExpiryCore.Look look =
        core.look(
            PARTITION,
            expiry,
            now,
            first,
            first.size() < countMax,
            key -> rows.getOrDefault(key, 0L));
    for (Bytes key : look.expired()) {
      assertThat(rows.get(key)).as("commit time of an expired row").isNotNull();
      assertThat(now - rows.get(key)).isGreaterThanOrEqualTo(expiry.ttlMicros());
      rows.remove(key);
    }
    index.removeAll(look.removed());
    index.addAll(look.added());
    return look;
  }

  private void sweepAll() {
    for (int step = 0; core.mayBeOver(PARTITION, expiry, now); step++) {
      assertThat(step).as("steps of a sweep at one moment").isLessThan(20_000);
      if (!sweep(3).isMore()) {
        break;
      }
    }
  }

  private void requireInvariants(String what) {
    rows.forEach(
        (key, commit) -> {
          assertThat(index.stream().anyMatch(at -> at.key().equals(key) && at.micros() <= commit))
              .as("%s: an entry at or before the commit time of %s", what, key)
              .isTrue();
          assertThat(expiry.isOver(commit, now) && !core.mayBeOver(PARTITION, expiry, now))
              .as("%s: %s has expired, and writes are told that nothing has", what, key)
              .isFalse();
        });
  }

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void what_has_expired_is_found_whatever_is_written_and_whatever_the_clock_does(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < 400; step++) {
      switch (random.nextInt(13)) {
        case 0 -> shows(now - random.nextLong(2 * HOUR));
        case 1 -> shows(now + random.nextLong(3 * HOUR));
        case 2 -> alter(new Expiry(1_000_000 + random.nextLong(6 * HOUR)));
        case 3 -> rows.remove(TestRows.keyBytes("k" + random.nextInt(20)));
        case 4, 5 -> sweep(1 + random.nextInt(8));
        case 6 -> sweepAll();
        case 7 -> follow("k" + random.nextInt(20), random);
        default -> {
          shows(now + random.nextLong(HOUR / 50));
          write("k" + random.nextInt(20));
        }
      }
      requireInvariants("seed " + seed + ", step " + step);
    }
    shows(Math.max(now, lastCommit) + 10 * HOUR);
    sweepAll();
    assertThat(rows).as("seed %d: all have expired", seed).isEmpty();
    sweepAll();
    assertThat(index.stream().filter(at -> at.micros() <= now - expiry.ttlMicros())).isEmpty();
  }

  @Test
  void a_row_that_is_written_for_ever_has_few_entries() {
    sweepAll();
    for (int write = 0; write < 20_000; write++) {
      shows(now + HOUR / 2_000);
      write("hot");
      sweepAll();
      assertThat(index.size()).isLessThanOrEqualTo(130);
    }
    assertThat(index.size()).isGreaterThan(60);
  }

  @Test
  void a_partition_without_rows_to_expire_is_not_looked_at_by_writes() {
    assertThat(core.mayBeOver(PARTITION, expiry, now)).as("before the first look").isTrue();
    write("a");
    sweepAll();
    shows(now + HOUR / 2);
    write("b");
    assertThat(core.mayBeOver(PARTITION, expiry, now)).isFalse();
    assertThat(core.mayBeOver(PARTITION, Expiry.NEVER, Long.MAX_VALUE)).isFalse();
    shows(now + HOUR / 2);
    assertThat(core.mayBeOver(PARTITION, expiry, now)).isTrue();
    assertThat(core.lagMicros(PARTITION, expiry, now)).isLessThanOrEqualTo(HOUR / 64);
  }

  @Test
  void a_clock_that_is_set_back_makes_writes_look_again() {
    shows(now);
    sweepAll();
    long later = now;
    shows(now - HOUR / 2);
    write("early");
    shows(later + HOUR / 2);
    assertThat(core.mayBeOver(PARTITION, expiry, now)).isTrue();
    sweepAll();
    assertThat(rows).isEmpty();
  }
}
