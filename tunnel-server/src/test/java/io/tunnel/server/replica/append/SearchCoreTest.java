package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Searches in logs with markers, fenced records, gaps of offsets, and a trimmed start. */
final class SearchCoreTest {

  private static final long NONE = AppendHeader.NO_SNAPSHOT;

  /** A log, and which of its records count. */
  private static final class Log {
    final List<Stored> records = new ArrayList<>();
    final List<Stored> counted = new ArrayList<>();
    final FollowCore reader = new FollowCore(FollowState.NONE);
    long offset;

    /** The longest run of records that do not count. */
    int fencedMax;

    private int fenced;

    void add(AppendHeader header) {
      Stored record = new Stored(offset, 0, 0, header, new byte[0]);
      records.add(record);
      if (reader.read(offset, header) == Verdict.COUNTS) {
        counted.add(record);
        fenced = 0;
      } else {
        fencedMax = Math.max(fencedMax, ++fenced);
      }
      offset++;
    }

    KnownLog known() {
      return new KnownLog(1, reader.state(), Trim.NONE);
    }

    /** The first record that counts and ends after a position. */
    Optional<Stored> of(long position) {
      return counted.stream()
          .filter(each -> each.header().first() + each.header().changes() > position)
          .findFirst();
    }
  }

  private static Log log(SplittableRandom random, int steps) {
    Log log = new Log();
    log.add(AppendHeader.marker(7, 1, NONE));
    for (int step = 0; step < steps; step++) {
      int dice = random.nextInt(40);
      FollowState.Stretch epoch = log.reader.newest();
      long number = log.reader.number() + 1;
      long first = log.reader.position();
      int changes = random.nextInt(4);
      if (dice == 0) {
        log.add(AppendHeader.marker(100 + step, 1, NONE));
      } else if (dice == 1) {
        log.offset += 1 + random.nextInt(30);
      } else if (dice == 2) {
        // A record of a former leader, at a position that is not the record's.
        log.add(of(Math.max(0, epoch.epoch() - 1), 5, number, 1 + random.nextLong(2 * first), 3));
      } else if (dice == 3) {
        log.add(of(epoch.epoch(), epoch.marker(), number + 1, first + 1_000, changes));
      } else {
        log.add(of(epoch.epoch(), epoch.marker(), number, first, changes));
      }
    }
    return log;
  }

  private static AppendHeader of(long epoch, long marker, long number, long first, int changes) {
    return new AppendHeader(Kind.BATCHES, epoch, marker, number, first, changes, NONE, Bytes.EMPTY);
  }

  /** Searches a position; each read gives at most {@code chunk} records. */
  private static int search(Log log, SearchCore search, long position, int chunk, long start) {
    KnownLog known = log.known();
    int reads = 0;
    while (!search.isDone()) {
      assertThat(++reads).as("the search ends").isLessThan(10_000);
      long from = search.next();
      if (from < start) {
        search.trimmed(start);
        continue;
      }
      List<Stored> read =
          log.records.stream().filter(each -> each.offset() >= from).limit(chunk).toList();
      long readTo = read.size() < chunk ? log.offset : read.get(chunk - 1).offset() + 1;
      search.read(read, readTo, record -> FetchedPage.side(record, known, position));
    }
    return reads;
  }

  @Test
  void a_search_ends_at_the_first_record_that_is_not_before_the_position() {
    for (long seed = 1; seed <= 400; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Log log = log(random, 1 + random.nextInt(300));
      for (int i = 0; i < 20; i++) {
        long position = 1 + random.nextLong(log.reader.position() + 3);
        Optional<Stored> sought = log.of(position);
        long low = 0;
        boolean isNear = random.nextBoolean();
        if (isNear) {
          low =
              log.counted.stream()
                  .filter(each -> each.header().first() <= position)
                  .filter(each -> each.header().changes() > 0)
                  .mapToLong(Stored::offset)
                  .filter(any -> random.nextInt(3) > 0)
                  .reduce((before, after) -> after)
                  .orElse(0);
        }
        SearchCore search = new SearchCore(low, log.offset, isNear);
        search(log, search, position, 1 + random.nextInt(9), 0);
        assertThat(search.found().map(Stored::offset))
            .as("seed %d, position %d", seed, position)
            .isEqualTo(sought.map(Stored::offset));
      }
    }
  }

  @Test
  void a_log_that_is_trimmed_meanwhile_gives_the_first_record_that_is_left() {
    for (long seed = 1; seed <= 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Log log = log(random, 1 + random.nextInt(200));
      long start = random.nextLong(log.offset + 1);
      long position = 1 + random.nextLong(log.reader.position());
      Optional<Long> sought =
          log.counted.stream()
              .filter(each -> each.offset() >= start)
              .filter(each -> each.header().first() + each.header().changes() > position)
              .map(Stored::offset)
              .findFirst();
      SearchCore search = new SearchCore(0, log.offset, random.nextBoolean());
      search(log, search, position, 1 + random.nextInt(9), start);
      assertThat(search.found().map(Stored::offset)).as("seed %d", seed).isEqualTo(sought);
    }
  }

  @Test
  void a_search_in_a_long_log_reads_a_few_records() {
    for (long seed = 1; seed <= 5; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Log log = log(random, 20_000);
      // A bit for each halving, and for each the records that do not count or have no change.
      int readsMax = 2 * 16 + 2 * log.fencedMax;
      for (int i = 0; i < 20; i++) {
        long position = 1 + random.nextLong(log.reader.position() - 1);
        SearchCore search = new SearchCore(0, log.offset, false);
        int reads = search(log, search, position, 1, 0);
        assertThat(reads).as("seed %d, position %d", seed, position).isLessThan(readsMax);
      }
    }
  }

  @Test
  void nothing_is_found_in_an_empty_part_of_a_log() {
    SearchCore search = new SearchCore(5, 5, true);
    assertThat(search.isDone()).isTrue();
    assertThat(search.found()).isEmpty();
  }
}
