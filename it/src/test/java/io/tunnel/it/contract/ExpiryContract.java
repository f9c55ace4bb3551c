package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.Watch;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchEvent;
import io.tunnel.sdk.watch.WatchedKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Rows that expire: absent at once, and deleted in the stream before what is written next. */
abstract class ExpiryContract extends Contract {

  private static final long TTL_MS = 1_000;

  private TableInfo expiring() {
    return tables()
        .createTable(
            CreateTableRequest.builder(newName())
                .key("id", PrimaryKeyType.INTEGER)
                .ttl(Duration.ofMillis(TTL_MS))
                .build());
  }

  private void awaitExpiry(TableInfo table, long id) {
    subject().awaitTime(subject().nowMs() + TTL_MS);
    Poll.until(
        "row " + id + " is absent", () -> tables().getRow(table.meta().name(), key(id)).isEmpty());
  }

  /** The changes that a tunnel has, as text. */
  private static final class Changes implements IChannelProcessor {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @Override
    public void process(ProcessRecordsInput input) {
      input.getRecords().forEach(record -> seen.add(text(record)));
    }

    private static String text(StreamRecord record) {
      return record.getRecordType()
          + record.deletionCause().map(cause -> " " + cause + " ").orElse(" ")
          + record.getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong()
          + record.atomicBatch().map(batch -> " of " + batch.size()).orElse("");
    }

    @Override
    public void shutdown() {}

    /** Waits for {@code count} changes, and returns the first {@code count}. */
    List<String> first(int count) {
      Poll.until(count + " changes", () -> seen.size() >= count);
      return List.copyOf(seen.subList(0, count));
    }
  }

  private Changes changes(TableInfo table) {
    Changes changes = new Changes();
    var unused = worker(tunnel(table, "changes", TunnelType.Stream), "a", changes);
    return changes;
  }

  @Test
  void a_row_is_absent_when_its_time_is_over_and_has_one_marked_delete() {
    TableInfo table = expiring();
    Changes changes = changes(table);
    write(table, put(1, 1));
    awaitExpiry(table, 1);
    assertThat(changes.first(2)).containsExactly("PUT 1", "DELETE EXPIRED 1");
    write(table, put(2, 2));
    assertThat(changes.first(3)).contains("PUT 2");
  }

  @Test
  void what_is_written_to_an_expired_row_makes_a_new_row() {
    TableInfo table = expiring();
    Changes changes = changes(table);
    write(table, put(1, 1));
    awaitExpiry(table, 1);
    BatchWriteResult refused = tables().tryWrite(table.meta().name(), List.of(addIfThere(1)));
    assertThat(refused.results())
        .extracting(row -> row.error().orElseThrow())
        .containsExactly(ErrorCode.CONDITION_FAILED);
    write(table, new RowPutChange(key(1), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST));
    assertThat(changes.first(3)).containsExactly("PUT 1", "DELETE EXPIRED 1", "PUT 1");
  }

  @Test
  void an_atomic_batch_finds_no_expired_row_and_a_delete_is_no_part_of_it() {
    TableInfo table = expiring();
    String name = table.meta().name();
    Changes changes = changes(table);
    write(table, put(1, 1));
    awaitExpiry(table, 1);
    BatchWriteResult refused =
        tables().tryWriteAtomically(name, List.of(put(1, 2), put(2, 2), addIfThere(3)));
    assertThat(refused.results()).extracting(RowResult::isApplied).containsOnly(false);
    var unused =
        tables()
            .writeAtomically(
                name,
                List.of(
                    new RowPutChange(key(1), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST),
                    put(2, 2)));
    assertThat(changes.first(4))
        .containsExactly("PUT 1", "DELETE EXPIRED 1", "PUT 1 of 2", "PUT 2 of 2");
  }

  @Test
  void a_watch_is_given_the_marked_delete_and_begins_with_no_expired_row() throws Exception {
    TableInfo table = expiring();
    String name = table.meta().name();
    WatchedKeys one = WatchedKeys.key(key(1));
    Watch whole = closing(tables().watch(name, one, WatchConfig.FROM_NOW));
    Watch keys = closing(tables().watch(name, one, WatchConfig.FROM_NOW.withKeysOnly()));
    write(table, put(2, 2), put(1, 1));
    awaitExpiry(table, 1);
    Watch later = closing(tables().watch(name, one, WatchConfig.FROM_NOW.withRows()));
    List<String> first = new ArrayList<>();
    while (!later.hasAllRows()) {
      first.addAll(texts(later.poll(Duration.ofSeconds(1))));
    }
    write(table, put(1, 3));
    assertThat(untilPuts(2, whole)).containsExactly("PUT 1", "DELETE EXPIRED 1", "PUT 1");
    assertThat(untilPuts(2, keys)).containsExactly("PUT 1", "DELETE EXPIRED 1", "PUT 1");
    first.addAll(untilPuts(1, later));
    assertThat(first).endsWith("PUT 1");
    // The sweep may have deleted the row before the watch began.
    first.remove("DELETE EXPIRED 1");
    assertThat(first).containsExactly("PUT 1");
  }

  private static List<String> untilPuts(int count, Watch watch) throws InterruptedException {
    List<String> texts = new ArrayList<>();
    while (Collections.frequency(texts, "PUT 1") < count) {
      List<WatchEvent> events = watch.poll(Duration.ofSeconds(60));
      assertThat(events).as("behind %s", texts).isNotEmpty();
      texts.addAll(texts(events));
    }
    return texts;
  }

  private static List<String> texts(List<WatchEvent> events) {
    return events.stream()
        .map(event -> event.type() == WatchEvent.Type.ROW ? "ROW" : Changes.text(event.record()))
        .toList();
  }

  @Test
  void a_time_to_live_is_altered_and_neither_added_nor_removed() {
    TableInfo expiring = expiring();
    assertThat(
            tables()
                .alterTable(expiring.meta().name(), new OptionsChange().withTtl(Duration.ofDays(1)))
                .meta()
                .options()
                .ttlMs())
        .contains(Duration.ofDays(1).toMillis());
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () ->
            tables()
                .alterTable(expiring.meta().name(), new OptionsChange().withTtl(Duration.ZERO)));
    TableInfo plain = table();
    assertRefused(
        ErrorCode.INVALID_REQUEST,
        () ->
            tables()
                .alterTable(plain.meta().name(), new OptionsChange().withTtl(Duration.ofDays(1))));
  }

  private static RowUpdateChange addIfThere(long id) {
    return new RowUpdateChange(
        key(id), List.of(new ColumnUpdate.Increment("v", 1)), RowExistenceExpectation.EXPECT_EXIST);
  }
}
