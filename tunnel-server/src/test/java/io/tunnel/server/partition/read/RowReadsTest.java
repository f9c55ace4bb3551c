package io.tunnel.server.partition.read;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.RowSelection;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import io.tunnel.server.table.TableRows;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.RowPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RowReadsTest {

  private static final int PAGES_MAX = 1_000;

  /** As many rows were looked at as were answered. */
  private static final long ANY = -1;

  @TempDir private Path directory;
  private Shards shards;
  private TableRecord table;
  private RowReads reads;

  @BeforeEach
  void open() throws IOException {
    Shards.Layout layout = TestShards.layout(directory, 2, 1 << 20);
    shards = Shards.open(layout, id -> true, new NoMeter(), new TestClock());
    Catalog catalog = new Catalog(new MemoryCatalogStore());
    List<PrimaryKeyValue> points =
        List.of(PrimaryKeyValue.fromString("k3"), PrimaryKeyValue.fromString("k6"));
    table = catalog.createTable(new TableMeta("t", TestRows.SCHEMA), points, 0);
    reads = new RowReads(catalog, shards, Runnable::run);
  }

  @AfterEach
  void close() throws IOException {
    shards.close();
  }

  private void write(ChangeBatch batch) throws Exception {
    Outcomes outcome = new Outcomes();
    shards.of(batch.partition()).write(Outcomes.write(batch, false, outcome));
    outcome.result();
  }

  private static final class Answer extends CompletableFuture<byte[]> implements RowReads.Answer {
    private volatile RowPage.Looked looked;

    @Override
    public void read(byte[] payload, RowPage.Looked lookedAt) {
      looked = lookedAt;
      complete(payload);
    }

    @Override
    public void failed(RuntimeException reason) {
      completeExceptionally(reason);
    }

    byte[] payload() throws Exception {
      return get(60, TimeUnit.SECONDS);
    }
  }

  private List<Bytes> range(Direction direction, int rowsMax, int bytesMax, Bytes from, Bytes to)
      throws Exception {
    List<Bytes> keys = new ArrayList<>();
    Optional<Bytes> next = Optional.of(direction == Direction.FORWARD ? from : to);
    for (int pages = 0; next.isPresent(); pages++) {
      assertThat(pages).as("pages must end").isLessThan(PAGES_MAX);
      Answer answer = new Answer();
      boolean isForward = direction == Direction.FORWARD;
      reads.range(
          new RangeRequest(
              table.tableId(),
              direction,
              rowsMax,
              bytesMax,
              isForward ? next.get() : from,
              isForward ? to : next.get()),
          answer);
      RowPage page = RowPage.decode(answer.payload());
      assertThat(page.rows().rowCount()).isLessThanOrEqualTo(rowsMax);
      RowCursor row = page.rows().rows();
      while (row.next()) {
        keys.add(Bytes.copyOf(page.rows().array(), row.keyOffset(), row.keyBytes()));
      }
      next = page.next();
    }
    return keys;
  }

  @Test
  void pages_together_are_the_range_in_both_directions() throws Exception {
    TreeSet<Bytes> model = new TreeSet<>();
    Random random = new Random(3);
    for (int i = 0; i < 200; i++) {
      String name = "k" + random.nextInt(100);
      model.add(TestRows.keyBytes(name));
      write(batch(table.partitionOf(TestRows.keyBytes(name)).id(), put(name)));
    }
    for (int i = 0; i < 300; i++) {
      Bytes from =
          random.nextInt(4) == 0 ? Bytes.EMPTY : TestRows.keyBytes("k" + random.nextInt(100));
      Bytes to =
          random.nextInt(4) == 0 ? Bytes.EMPTY : TestRows.keyBytes("k" + random.nextInt(100));
      if (RangeRequest.isReversed(from, to)) {
        continue;
      }
      TreeSet<Bytes> range = new TreeSet<>(model.tailSet(from));
      range.removeIf(found -> to.length() > 0 && found.compareTo(to) >= 0);
      int rowsMax = 1 + random.nextInt(30);
      assertThat(range(Direction.FORWARD, rowsMax, 1 << 20, from, to))
          .as("[%s, %s) by %d", from, to, rowsMax)
          .containsExactlyElementsOf(range);
      assertThat(range(Direction.BACKWARD, rowsMax, 1 << 20, from, to))
          .as("[%s, %s) by %d backward", from, to, rowsMax)
          .containsExactlyElementsOf(range.descendingSet());
    }
  }

  /** The index of a name takes two bytes behind the 127 names of the rows before it. */
  @Test
  void the_largest_row_is_read_even_behind_rows_with_many_names() throws Exception {
    List<Column> many = new ArrayList<>();
    for (int i = 0; i < 1_024; i++) {
      many.add(new Column("name" + i, ColumnValue.fromBoolean(true)));
    }
    write(batch(1, new RowPutChange(key("a"), many)));
    write(batch(1, largest("b")));
    assertThat(range(Direction.FORWARD, 100, 4 << 20, Bytes.EMPTY, Bytes.EMPTY))
        .containsExactly(TestRows.keyBytes("a"), TestRows.keyBytes("b"));
    Answer answer = new Answer();
    reads.get(new GetRowRequest(table.tableId(), TestRows.keyBytes("b")), answer);
    assertThat(RowPage.decode(answer.payload()).rows().rowCount()).isEqualTo(1);
  }

  private RowPage get(ReadTerms terms, String... keys) throws Exception {
    Answer answer = new Answer();
    List<Bytes> encoded = Stream.of(keys).map(TestRows::keyBytes).toList();
    reads.getAll(new GetRowsRequest(table.tableId(), encoded, terms), answer);
    return RowPage.decode(answer.payload());
  }

  private RowPage page(Direction direction, RowSelection selection, Bytes from, Bytes to)
      throws Exception {
    Answer answer = new Answer();
    reads.range(
        new RangeRequest(
            table.tableId(), direction, 5_000, 4 << 20, from, to, new ReadTerms(false, selection)),
        answer);
    RowPage page = RowPage.decode(answer.payload());
    assertThat(answer.looked).isEqualTo(page.looked());
    return page;
  }

  private static List<Row> rows(RowPage page) {
    List<Row> rows = new ArrayList<>();
    for (RowCursor row = page.rows().rows(); row.next(); ) {
      List<Column> columns = new ArrayList<>();
      for (ColumnCursor column = row.columns(); column.next(); ) {
        columns.add(new Column(page.rows().name(column.nameIndex()), column.value()));
      }
      rows.add(
          new Row(
              KeyCodec.decode(
                  page.rows().array(), row.keyOffset(), row.keyBytes(), TestRows.SCHEMA),
              columns,
              page.commitMicrosOf(row.index())));
    }
    return rows;
  }

  /** All rows of the table, page by page; what was looked at is added up. */
  private List<Row> scan(Direction direction, RowSelection selection, long rowsLooked)
      throws Exception {
    List<Row> rows = new ArrayList<>();
    Optional<Bytes> next = Optional.of(Bytes.EMPTY);
    long looked = 0;
    while (next.isPresent()) {
      boolean isForward = direction == Direction.FORWARD;
      RowPage page =
          page(
              direction,
              selection,
              isForward ? next.get() : Bytes.EMPTY,
              isForward ? Bytes.EMPTY : next.get());
      assertThat(page.looked().rows()).isLessThanOrEqualTo(5_000);
      assertThat(page.next()).as("each page moves its bound").isNotEqualTo(next);
      looked += page.looked().rows();
      rows.addAll(rows(page));
      next = page.next();
    }
    assertThat(looked).isEqualTo(rowsLooked == ANY ? rows.size() : rowsLooked);
    return rows;
  }

  private void writeAtRandom(Random random, int changes) throws Exception {
    List<String> names = List.of("a", "b", "c", "d");
    for (int i = 0; i < changes; i++) {
      String key = "k" + random.nextInt(80);
      List<Column> columns = new ArrayList<>();
      List<ColumnUpdate> updates = new ArrayList<>();
      for (String name : names) {
        // Names that come once are stored in the rows themselves.
        String own = random.nextInt(20) == 0 ? name + i : name;
        ColumnValue value =
            random.nextBoolean()
                ? ColumnValue.fromLong(random.nextInt(4))
                : ColumnValue.fromString("s" + random.nextInt(4));
        if (random.nextInt(3) > 0) {
          columns.add(new Column(own, value));
          updates.add(
              random.nextInt(4) == 0
                  ? new ColumnUpdate.Delete(own)
                  : new ColumnUpdate.Put(own, value));
        }
      }
      Collections.shuffle(columns, random);
      RowChange change =
          switch (random.nextInt(6)) {
            case 0 -> new RowDeleteChange(key(key));
            case 1, 2 -> new RowPutChange(key(key), columns);
            default ->
                updates.isEmpty()
                    ? new RowPutChange(key(key), columns)
                    : new RowUpdateChange(key(key), updates);
          };
      int partition = table.partitionOf(TestRows.keyBytes(key)).id();
      write(batch(partition, change));
      if (i % 3 == 0) {
        // A row has several parts when its changes are folded one after the other.
        assertThat(shards.of(partition).tableNow(partition)).isNotNull();
      }
    }
  }

  @Test
  void a_condition_is_judged_over_rows_of_several_parts_as_over_whole_rows() throws Exception {
    Random random = new Random(7);
    writeAtRandom(random, 600);
    List<Row> all = scan(Direction.FORWARD, RowSelection.ALL, ANY);
    List<String> conditions =
        List.of(
            "a = 2",
            "not a = 2",
            "a < 3 and b != \"s1\"",
            "exists c",
            "not exists c or d starts with \"s\"",
            "a = b",
            "k >= \"k5\" and k < \"k7\" and exists a",
            "c > 0 or (d = \"s2\" and exists b)");
    for (String text : conditions) {
      Condition condition = Condition.parse(text);
      Judge judge = new Judge(condition, ConditionPlace.ofRows(TestRows.SCHEMA));
      List<Row> expected =
          all.stream()
              .filter(
                  row -> {
                    RowCursor alone =
                        batch(1, new RowPutChange(row.primaryKey(), row.columns())).rows();
                    return alone.next() && judge.holdsOf(alone);
                  })
              .toList();
      assertThat(expected).as(text).isNotEmpty().hasSizeLessThan(all.size());
      RowSelection selection = RowSelection.ALL.where(condition);
      assertThat(scan(Direction.FORWARD, selection, all.size())).as(text).isEqualTo(expected);
      List<Row> backward = new ArrayList<>(scan(Direction.BACKWARD, selection, all.size()));
      Collections.reverse(backward);
      assertThat(backward).as(text).isEqualTo(expected);
    }
  }

  @Test
  void chosen_columns_and_commit_times_are_those_of_the_whole_rows() throws Exception {
    writeAtRandom(new Random(8), 400);
    List<Row> all = scan(Direction.FORWARD, RowSelection.ALL.withCommitTimes(), ANY);
    List<Row> expected = new ArrayList<>();
    for (Row row : all) {
      int partition = table.partitionOf(keyBytes(row)).id();
      TableRows stored = shards.of(partition).table();
      long micros = stored.find(partition, keyBytes(row)).orElseThrow().commitMicros();
      assertThat(row.commitMicros()).contains(micros);
      expected.add(
          new Row(
              row.primaryKey(),
              row.columns().stream().filter(c -> Set.of("b", "d").contains(c.getName())).toList(),
              row.commitMicros()));
    }
    assertThat(all.stream().map(Row::commitMicros).distinct()).hasSizeGreaterThan(10);
    assertThat(
            scan(
                Direction.FORWARD,
                RowSelection.ALL.withColumns("d", "b").withCommitTimes(),
                all.size()))
        .isEqualTo(expected);
    assertThat(scan(Direction.FORWARD, RowSelection.ALL.withColumns(), all.size()))
        .allMatch(row -> row.columns().isEmpty() && row.commitMicros().isEmpty())
        .hasSameSizeAs(all);
  }

  private static Bytes keyBytes(Row row) {
    return KeyCodec.encode(row.primaryKey(), TestRows.SCHEMA);
  }

  @Test
  void a_condition_that_holds_of_nothing_makes_progress_page_by_page() throws Exception {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 12_001; i++) {
      rows.add(put("a%05d".formatted(i), new Column("n", ColumnValue.fromLong(i))));
    }
    write(batch(table.partitions().get(0).id(), rows));
    RowSelection nothing = RowSelection.ALL.where(Condition.parse("n < 0"));
    RowPage first = page(Direction.FORWARD, nothing, Bytes.EMPTY, Bytes.EMPTY);
    assertThat(first.rows().rowCount()).isZero();
    assertThat(first.looked().rows()).isEqualTo(5_000);
    assertThat(first.looked().bytes()).isGreaterThan(5_000 * 10);
    assertThat(first.next()).isPresent();
    assertThat(scan(Direction.FORWARD, nothing, rows.size())).isEmpty();
    assertThat(scan(Direction.BACKWARD, nothing, rows.size())).isEmpty();
    RowSelection last = RowSelection.ALL.where(Condition.parse("n >= 12000"));
    assertThat(scan(Direction.FORWARD, last, rows.size())).hasSize(1);
  }

  @Test
  void a_page_ends_at_the_bytes_that_were_looked_at_also_when_no_row_is_answered()
      throws Exception {
    for (int i = 0; i < 12; i++) {
      write(batch(table.partitions().get(0).id(), big("a" + (char) ('a' + i), 500_000, 500_000)));
    }
    RowSelection nothing = RowSelection.ALL.where(Condition.parse("not exists x"));
    RowPage page = page(Direction.FORWARD, nothing, Bytes.EMPTY, Bytes.EMPTY);
    assertThat(page.looked().rows()).isEqualTo(5);
    assertThat(page.looked().bytes()).isBetween(5_000_000, 5_001_000);
    assertThat(scan(Direction.BACKWARD, nothing, 12)).isEmpty();
    RowPage keys =
        page(Direction.FORWARD, RowSelection.ALL.withColumns(), Bytes.EMPTY, Bytes.EMPTY);
    assertThat(keys.looked().rows()).as("columns that are left out count").isEqualTo(5);
  }

  @Test
  void rows_are_got_by_their_keys_in_order_and_a_full_answer_says_where_to_go_on()
      throws Exception {
    for (int i = 0; i < 8; i++) {
      write(batch(table.partitions().get(0).id(), big("a" + i, 500_000, 500_000)));
    }
    RowPage some = get(ReadTerms.BOUNDED, "a", "a1", "a11", "a3");
    assertThat(rows(some)).extracting(Row::primaryKey).containsExactly(key("a1"), key("a3"));
    assertThat(some.looked().rows()).as("also keys without rows").isEqualTo(4);
    assertThat(some.next()).isEmpty();
    String[] all = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"};
    RowPage full = get(ReadTerms.BOUNDED, all);
    assertThat(full.looked().rows()).isEqualTo(5);
    assertThat(full.next()).contains(TestRows.keyBytes("a5"));
    RowSelection none = RowSelection.ALL.where(Condition.parse("x = x\"00\""));
    RowPage filtered = get(new ReadTerms(false, none), all);
    assertThat(filtered.rows().rowCount()).isZero();
    assertThat(filtered.next()).contains(TestRows.keyBytes("a5"));
  }

  @Test
  void what_no_row_of_the_table_has_is_refused_before_anything_is_read() {
    for (RowSelection wrong :
        List.of(
            RowSelection.ALL.where(Condition.parse("change is put")),
            RowSelection.ALL.where(Condition.parse("before.a = 1")),
            RowSelection.ALL.where(Condition.parse("k = 1")),
            RowSelection.ALL.withColumns("a", "k"))) {
      ReadTerms terms = new ReadTerms(false, wrong);
      for (Runnable read :
          List.<Runnable>of(
              () ->
                  reads.get(
                      new GetRowRequest(table.tableId(), TestRows.keyBytes("a"), terms),
                      new Answer()),
              () ->
                  reads.getAll(
                      new GetRowsRequest(table.tableId(), List.of(TestRows.keyBytes("a")), terms),
                      new Answer()),
              () ->
                  reads.range(
                      new RangeRequest(
                          table.tableId(),
                          Direction.FORWARD,
                          1,
                          1,
                          Bytes.EMPTY,
                          Bytes.EMPTY,
                          terms),
                      new Answer()))) {
        assertThatExceptionOfType(RefusedException.class)
            .isThrownBy(read::run)
            .matches(refused -> refused.code() == ErrorCode.INVALID_REQUEST);
      }
    }
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> get(ReadTerms.BOUNDED, "a", "b", "k4"))
        .withMessageContaining("ask for the keys of one partition at a time")
        .matches(refused -> refused.code() == ErrorCode.WRONG_PARTITION);
  }

  private static RowPutChange largest(String key) {
    int half = Limits.ROW_BYTES_MAX / 2;
    int overhead = batch(1, big(key, half - 100, half - 100)).rowsBytes() - 2 * (half - 100);
    // Of its bytes in the batch the four of its length do not count; the second value has one more.
    return big(key, half, half - overhead + 3);
  }

  private static RowPutChange big(String key, int first, int second) {
    return new RowPutChange(key(key), List.of(zeros("x", first), zeros("y", second)));
  }

  private static Column zeros(String name, int bytes) {
    return new Column(name, new BinaryValue(Bytes.copyOf(new byte[bytes])));
  }
}
