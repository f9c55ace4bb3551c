package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Durability;
import io.tunnel.model.TableOptions;
import io.tunnel.server.partition.RetentionCore.Decision;
import io.tunnel.server.partition.RetentionCore.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RetentionCoreTest {

  private static final int SHARDS = 3;
  private static final int SEGMENTS = 5;

  /** A change of the table, in a segment of a shard. */
  private record Change(int shard, int segment, long micros, long bytes) {}

  static LongStream seeds() {
    return LongStream.range(0, 500);
  }

  private static List<Change> randomChanges(Random random) {
    List<Change> changes = new ArrayList<>();
    for (int shard = 0; shard < SHARDS; shard++) {
      long micros = random.nextInt(50_000);
      for (int segment = 0; segment < SEGMENTS; segment++) {
        for (int i = random.nextInt(4); i > 0; i--) {
          micros += random.nextInt(3) * (long) random.nextInt(5_000);
          changes.add(new Change(shard, segment, micros, 1 + random.nextInt(100)));
        }
      }
    }
    return changes;
  }

  private static List<Piece> pieces(List<Change> changes) {
    List<Piece> pieces = new ArrayList<>();
    for (int shard = 0; shard < SHARDS; shard++) {
      for (int segment = 0; segment < SEGMENTS; segment++) {
        List<Change> in = new ArrayList<>();
        for (Change change : changes) {
          if (change.shard() == shard && change.segment() == segment) {
            in.add(change);
          }
        }
        if (!in.isEmpty()) {
          boolean isSealed = segment < SEGMENTS - 1;
          pieces.add(
              new Piece(
                  shard,
                  segment,
                  isSealed,
                  in.stream().mapToLong(Change::bytes).sum(),
                  in.get(0).micros(),
                  isSealed ? in.get(in.size() - 1).micros() : Long.MAX_VALUE));
        }
      }
    }
    return pieces;
  }

  private static boolean goes(Decision decision, int shard, long base) {
    return decision.lastBases().getOrDefault(shard, -1L) >= base;
  }

  private static TableOptions randomOptions(Random random) {
    return new TableOptions(
        Durability.FSYNC,
        random.nextBoolean() ? 0 : 1 + random.nextInt(100),
        random.nextBoolean() ? 0 : 1 + random.nextInt(1_000));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_change_goes_only_when_it_is_too_old_or_enough_newer_ones_are_there(long seed) {
    Random random = new Random(seed);
    List<Change> changes = randomChanges(random);
    TableOptions options = randomOptions(random);
    long now = random.nextInt(150_000);
    Decision decision = RetentionCore.decide(options, pieces(changes), now);
    for (Change change : changes) {
      long newer =
          changes.stream()
              .filter(
                  other ->
                      other.micros() > change.micros()
                          || (other.shard() == change.shard()
                              && other.segment() > change.segment()))
              .mapToLong(Change::bytes)
              .sum();
      boolean mayGo =
          (options.retentionMs() > 0 && now - change.micros() > options.retentionMs() * 1_000)
              || (options.retentionBytes() > 0 && newer >= options.retentionBytes());
      if (goes(decision, change.shard(), change.segment())) {
        assertThat(mayGo).as("%s may go at %d with %s", change, now, options).isTrue();
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void every_segment_goes_that_may_and_no_other(long seed) {
    Random random = new Random(seed);
    List<Piece> pieces = pieces(randomChanges(random));
    TableOptions options = randomOptions(random);
    long now = random.nextInt(150_000);
    Decision decision = RetentionCore.decide(options, pieces, now);
    for (Piece piece : pieces) {
      long newer = 0;
      for (Piece other : pieces) {
        boolean isBehind = other.shard() == piece.shard() && other.base() > piece.base();
        boolean isElsewhere =
            other.shard() != piece.shard() && other.oldestMicros() > piece.newestMicros();
        newer += isBehind || isElsewhere ? other.bytes() : 0;
      }
      boolean isOld =
          options.retentionMs() > 0 && now - piece.newestMicros() > options.retentionMs() * 1_000;
      boolean isBeyond = options.retentionBytes() > 0 && newer >= options.retentionBytes();
      assertThat(goes(decision, piece.shard(), piece.base()))
          .as("%s of %s at %d with %s", piece, pieces, now, options)
          .isEqualTo(piece.isSealed() && (isOld || isBeyond));
      boolean shallBeSealed =
          (options.retentionMs() > 0 && now - piece.oldestMicros() > options.retentionMs() * 1_000)
              || (options.retentionBytes() > 0 && piece.bytes() >= options.retentionBytes());
      if (!piece.isSealed()) {
        assertThat(decision.sealed().contains(piece.shard())).isEqualTo(shallBeSealed);
      }
    }
  }

  @Test
  void nothing_goes_from_a_table_that_keeps_everything() {
    List<Piece> pieces = List.of(new Piece(0, 0, true, 1 << 30, 0, 1), active(0, 9));
    assertThat(RetentionCore.decide(TableOptions.DEFAULT, pieces, Long.MAX_VALUE).lastBases())
        .isEmpty();
  }

  private static Piece active(int shard, long bytes) {
    return new Piece(shard, 100, false, bytes, 10, Long.MAX_VALUE);
  }

  @Test
  void the_longest_time_is_for_ever_and_not_an_overflow() {
    TableOptions options = new TableOptions(Durability.FSYNC, Long.MAX_VALUE, 0);
    List<Piece> pieces = List.of(new Piece(0, 0, true, 1, 0, 1), active(0, 9));
    Decision decision = RetentionCore.decide(options, pieces, 1_000_000_000);
    assertThat(decision.lastBases()).isEmpty();
    assertThat(decision.sealed()).isEmpty();
  }

  @Test
  void a_damaged_time_keeps_its_segment_until_one_behind_it_goes() {
    TableOptions options = new TableOptions(Durability.FSYNC, 1, 0);
    Piece damaged = new Piece(0, 0, true, 1, 0, Long.MAX_VALUE);
    assertThat(RetentionCore.decide(options, List.of(damaged), 1_000_000).lastBases()).isEmpty();
    Piece behind = new Piece(0, 1, true, 1, 5, 6);
    assertThat(RetentionCore.decide(options, List.of(damaged, behind), 1_000_000).lastBases())
        .containsEntry(0, 1L);
  }
}
