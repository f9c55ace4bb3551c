package io.tunnel.server.partition.read;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.Direction;
import io.tunnel.model.Limits;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
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
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.RangePage;
import io.tunnel.wire.RangeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RowReadsTest {

  private static final int PAGES_MAX = 1_000;

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
    @Override
    public void read(byte[] payload) {
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
      RangePage page = RangePage.decode(answer.payload());
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
      model.add(keyBytes(name));
      write(batch(table.partitionOf(keyBytes(name)).id(), put(name)));
    }
    for (int i = 0; i < 150; i++) {
      Bytes from = random.nextInt(4) == 0 ? Bytes.EMPTY : keyBytes("k" + random.nextInt(100));
      Bytes to = random.nextInt(4) == 0 ? Bytes.EMPTY : keyBytes("k" + random.nextInt(100));
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
        .containsExactly(keyBytes("a"), keyBytes("b"));
    Answer answer = new Answer();
    reads.get(new GetRowRequest(table.tableId(), keyBytes("b")), answer);
    byte[] row = answer.payload();
    assertThat(ChangeBatch.parse(row, 0, row.length).rowCount()).isEqualTo(1);
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
