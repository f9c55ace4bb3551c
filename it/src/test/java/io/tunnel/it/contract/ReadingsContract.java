package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Partitions that are read by somebody who keeps the positions, without a tunnel. */
abstract class ReadingsContract extends Contract {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int BYTES_MAX = 64 << 10;

  private PartitionReader reader(TableInfo table) {
    return closing(
        new PartitionReader(
            ClientConfig.of(endpoint()),
            table,
            PartitionReaderConfig.DEFAULTS.withPartitionBytesMax(BYTES_MAX)));
  }

  private static int first(TableInfo table) {
    return table.partitions().get(0).id();
  }

  private List<PartitionPositions> positions(TableInfo table, Optional<Long> timeMs) {
    return tables().findPositions(table.meta().name(), timeMs).partitions();
  }

  /** The next {@code count} values, or fewer at the end. */
  private static List<Long> values(PartitionReader reader, int count) throws InterruptedException {
    List<Long> values = new ArrayList<>();
    while (values.size() < count) {
      PartitionRecords next = reader.poll(LONG).orElseThrow();
      if (next.isEnd()) {
        break;
      }
      for (StreamRecord record : next.records()) {
        values.add(record.value("v").orElseThrow().asLong());
      }
      next.release();
    }
    return values;
  }

  private static List<Long> all(PartitionReader reader) throws InterruptedException {
    return values(reader, Integer.MAX_VALUE);
  }

  @Test
  void changes_are_read_behind_any_position_and_as_they_come() throws Exception {
    TableInfo table = table(100);
    writeEach(table, 1, 5);
    PartitionReader reader = reader(table);
    reader.start(ReadStart.changes(first(table), 2));
    assertThat(values(reader, 3)).containsExactly(3L, 4L, 5L);
    write(table, put(200, 9), put(1, 6));
    assertThat(values(reader, 1)).as("of that partition").containsExactly(6L);
    reader.start(ReadStart.changes(first(table), 0).upTo(4));
    assertThat(all(reader)).as("begun anew").containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void an_end_inside_a_batch_is_where_the_records_end() throws Exception {
    TableInfo table = table();
    write(table, put(1, 1), put(2, 2), put(3, 3));
    PartitionReader reader = reader(table);
    reader.start(ReadStart.changes(first(table), 1).upTo(2));
    assertThat(all(reader)).containsExactly(2L);
  }

  @Test
  void more_than_the_credit_comes_as_it_is_released() throws Exception {
    TableInfo table = table();
    int count = 6_000;
    for (int from = 1; from <= count; from += 500) {
      RowChange[] rows = new RowChange[500];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = put(from + i, from + i);
      }
      write(table, rows);
    }
    PartitionReader reader = reader(table);
    reader.start(ReadStart.changes(first(table), 0).upTo(count));
    assertThat(all(reader)).isEqualTo(oneTo(count));
    reader.start(ReadStart.rows(first(table)));
    assertThat(all(reader)).isEqualTo(oneTo(count));
  }

  @Test
  void rows_are_read_as_they_are_and_go_on_behind_a_key() throws Exception {
    TableInfo table = table(100);
    write(table, put(1, 1), put(2, 2), put(3, 3), put(2, 4), put(200, 9));
    PartitionReader reader = reader(table);
    reader.start(ReadStart.rows(first(table)));
    List<StreamRecord> rows = reader.poll(LONG).orElseThrow().records();
    assertThat(rows)
        .extracting(row -> row.value("v").orElseThrow().asLong())
        .containsExactly(1L, 4L, 3L);
    assertThat(reader.poll(LONG).orElseThrow().isEnd()).isTrue();
    StreamRecord second = rows.get(1);
    reader.start(ReadStart.rowsBehind(first(table), second.position(), second.encodedKey()));
    List<StreamRecord> rest = reader.poll(LONG).orElseThrow().records();
    assertThat(rest).extracting(StreamRecord::position).containsExactly(3L);
    assertThat(reader.poll(LONG).orElseThrow().isEnd()).isTrue();
  }

  /** Each key's value is the position of its last change; some are changed while they are read. */
  @Test
  void rows_say_which_changes_they_have() throws Exception {
    TableInfo table = table();
    int count = 6_000;
    for (int from = 1; from <= count; from += 500) {
      RowChange[] rows = new RowChange[500];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = put(from + i, from + i);
      }
      write(table, rows);
    }
    PartitionReader reader = reader(table);
    reader.start(ReadStart.rows(first(table)));
    Map<Long, Long> changed = new HashMap<>();
    long position = count;
    long rowsAt = 0;
    long read = 0;
    for (boolean isEnd = false; !isEnd; ) {
      PartitionRecords page = reader.poll(LONG).orElseThrow();
      assertThat(page.rowsAt().orElseThrow()).isGreaterThanOrEqualTo(Math.max(rowsAt, count));
      rowsAt = page.rowsAt().orElseThrow();
      for (StreamRecord row : page.records()) {
        read++;
        long change = changed.getOrDefault(read, 0L);
        assertThat(row.value("v").orElseThrow().asLong())
            .as("key %d, changed at %d, read at %d", read, change, rowsAt)
            .isEqualTo(change > 0 && change <= rowsAt ? change : read);
      }
      for (long key : new long[] {1, read, read + 1, count}) {
        position++;
        write(table, put(Math.min(key, count), position));
        changed.put(Math.min(key, count), position);
      }
      isEnd = page.isEnd();
      page.release();
    }
    assertThat(read).isEqualTo(count);
    reader.start(ReadStart.changes(first(table), 0));
    assertThat(reader.poll(LONG).orElseThrow().rowsAt()).as("of changes").isEmpty();
  }

  @Test
  void no_rows_say_at_which_position_there_are_none() throws Exception {
    TableInfo table = table();
    write(table, put(1, 1), new RowDeleteChange(key(1)));
    PartitionReader reader = reader(table);
    reader.start(ReadStart.rows(first(table)));
    PartitionRecords end = reader.poll(LONG).orElseThrow();
    assertThat(end.isEnd()).isTrue();
    assertThat(end.rowsAt()).contains(2L);
  }

  @Test
  void positions_of_moments_are_found_and_ends_of_moments_come() throws Exception {
    TableInfo table = table();
    write(table, put(1, 1), put(2, 2));
    long momentMs = subject().nowMs() + 50;
    awaitPast(table, momentMs);
    PartitionReader reader = reader(table);
    long endMs = subject().nowMs() + 400;
    reader.start(ReadStart.changes(first(table), 0).before(endMs));
    assertThat(values(reader, 2)).containsExactly(1L, 2L);
    write(table, put(3, 3));
    PartitionPositions found = positions(table, Optional.of(momentMs)).get(0);
    assertThat(found.earliest()).isZero();
    assertThat(found.latest()).isEqualTo(3);
    assertThat(found.before()).contains(2L);
    assertRefused(
        ErrorCode.INVALID_POSITION,
        () -> positions(table, Optional.of(subject().nowMs() + 3_600_000)));
    awaitPast(table, endMs);
    write(table, put(4, 4));
    assertThat(all(reader)).as("before the end, if it was in time").isSubsetOf(3L);
  }

  private void awaitPast(TableInfo table, long ms) {
    subject().awaitTime(ms + 1);
    Poll.until(Poll.LONG, () -> isPast(table, ms + 1), () -> ms + " to pass");
  }

  private boolean isPast(TableInfo table, long ms) {
    try {
      return !positions(table, Optional.of(ms)).isEmpty();
    } catch (RefusedException e) {
      return false;
    }
  }

  @Test
  void positions_come_with_an_incarnation_and_are_good_in_it() throws Exception {
    TableInfo table = table();
    write(table, put(1, 1), put(2, 2));
    Optional<Long> found = positions(table, Optional.empty()).get(0).incarnation();
    PartitionReader reader = reader(table);
    reader.start(ReadStart.changes(first(table), 1));
    PartitionRecords records = reader.poll(LONG).orElseThrow();
    assertThat(records.incarnation()).isEqualTo(found);
    KnownPosition known = new KnownPosition(2, records.incarnation().orElseThrow());
    write(table, put(3, 3));
    reader.start(ReadStart.changes(first(table), 2).knowing(known));
    assertThat(values(reader, 1)).containsExactly(3L);
    reader.start(ReadStart.rows(first(table)).knowing(known));
    assertThat(reader.poll(LONG).orElseThrow().records()).hasSize(3);
  }

  @Test
  void who_knows_changes_of_another_life_of_the_log_is_refused() {
    TableInfo table = table();
    write(table, put(1, 1), put(2, 2));
    for (long incarnation : new long[] {Long.MAX_VALUE, 1_234_567}) {
      PartitionReader reader = reader(table);
      KnownPosition known = new KnownPosition(1, incarnation);
      reader.start(ReadStart.changes(first(table), 1).knowing(known));
      assertRefused(ErrorCode.POSITION_REPLACED, () -> reader.poll(LONG));
    }
  }

  @Test
  void what_cannot_be_read_is_refused() {
    TableInfo table = table();
    write(table, put(1, 1));
    PartitionReader beyond = reader(table);
    beyond.start(ReadStart.changes(first(table), 2));
    assertRefused(ErrorCode.INVALID_POSITION, () -> beyond.poll(LONG));
    PartitionReader open = reader(table);
    open.start(ReadStart.changes(first(table), 1));
    PartitionReader late = reader(table);
    late.start(ReadStart.changes(first(table), 0));
    assertThat(catchRecords(late)).isNotEmpty();
    tables().dropTable(table.meta().name());
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> open.poll(LONG));
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> late.poll(LONG));
    PartitionReader gone = reader(table);
    gone.start(ReadStart.changes(first(table), 0));
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> gone.poll(LONG));
  }

  private static List<StreamRecord> catchRecords(PartitionReader reader) {
    try {
      return reader.poll(LONG).orElseThrow().records();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
