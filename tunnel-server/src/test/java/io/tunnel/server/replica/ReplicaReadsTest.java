package io.tunnel.server.replica;

import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.partition.read.CurrentRows;
import io.tunnel.server.partition.read.RowReads;
import io.tunnel.server.replica.shared.FakeSharedLog;
import io.tunnel.server.replica.shared.Markers;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.table.BaseRows;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.Control.PartitionDescription;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads of the rows of a real store, between whose steps the node ceases to lead, drops its
 * replica, or makes it again. Such a read may be refused; it never finds less than there is.
 */
final class ReplicaReadsTest {

  private static final int P = 1;

  @TempDir private Path directory;
  private final FakeSharedLog log = new FakeSharedLog(new Random(1));
  private final FakeSharedLog.Node tail = log.node();
  private final WriteLedger ledger = new WriteLedger();
  private final Queue<Runnable> readers = new ArrayDeque<>();
  private final List<Object> answers = new ArrayList<>();
  private TableStore store;
  private ReplicaShard shard;
  private Replicas replicas;
  private Catalog catalog;
  private TableRecord table;

  private static final class StoppedClock implements Shard.Clock {
    private final AtomicLong nanos = new AtomicLong(1);

    @Override
    public long epochMicros() {
      return 1_000_000_000L;
    }

    @Override
    public long nanos() {
      return nanos.get();
    }
  }

  private final StoppedClock clock = new StoppedClock();

  @BeforeEach
  void leadWithTwoRows() throws IOException {
    store = TableStore.open(directory, new TableStoreConfig(1 << 20, 1 << 20, 1), () -> {});
    ReplicaStore kept =
        new ReplicaStore(
            0,
            TestLogs.open(new CrashDisk(), 0, SimNode.SEGMENT_BYTES),
            new ReplicaRows.InStore(store, WriterLimits.DEFAULT.of(1)),
            0,
            new SimNode.Silent(),
            clock);
    Replicas.Ports ports =
        new Replicas.Ports(
            tail,
            new Markers("a", "1"),
            partition -> Optional.of("elsewhere:1"),
            partition -> Long.MAX_VALUE,
            partition -> Long.MAX_VALUE,
            partition -> true);
    shard = new ReplicaShard(0, SimNode.CONFIG, kept, ports, new SimNode.Silent(), clock);
    replicas = new Replicas(List.of(shard), SimNode.CONFIG, tail);
    catalog = new Catalog(new MemoryCatalogStore());
    table = catalog.createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0);
    replicas.lead(P);
    run();
    ChangeBatch batch = TestRows.batch(P, put("a"), put("b"));
    replicas
        .of(P)
        .write(new PendingWrite(batch, false, ColumnSizes.of(batch), true, ledger.add(batch)));
    run();
  }

  @AfterEach
  void close() throws IOException {
    shard.close();
  }

  private void run() {
    boolean moved = true;
    while (moved) {
      moved = shard.step();
      moved |= log.settle();
    }
  }

  private RowReads reads() {
    return new RowReads(catalog, replicas, readers::add);
  }

  private final class Answer implements RowReads.Answer {
    @Override
    public void read(byte[] payload, RowPage.Looked looked) {
      answers.add(payload);
    }

    @Override
    public void failed(RuntimeException reason) {
      answers.add(reason);
    }
  }

  private void get(String key) {
    reads().get(new GetRowRequest(table.tableId(), keyBytes(key)), new Answer());
  }

  private void range() {
    reads()
        .range(
            new RangeRequest(
                table.tableId(), Direction.FORWARD, 100, 1 << 20, Bytes.EMPTY, Bytes.EMPTY),
            new Answer());
  }

  private static int rows(Object page) {
    return RowPage.decode((byte[]) page).rows().rowCount();
  }

  private void leave() {
    replicas.leave(P);
    run();
  }

  private void land(Kind kind, String key) {
    Optional<Bytes> value =
        kind == Kind.MARKER ? Optional.of(Bytes.fromHex("0102")) : Optional.empty();
    long epoch = kind == Kind.MARKER ? 0 : log.partition(P).end() - 1;
    Bytes name = kind == Kind.MARKER ? Bytes.EMPTY : keyBytes(key);
    var unused = log.land(P, new Entry(kind, name, epoch, 1L << 20, value));
  }

  /** Another node leads, and deletes a row. */
  private void loseToAnother() {
    land(Kind.MARKER, "");
    land(Kind.CHANGE, "a");
    run();
    assertThat(store.count(P, 10).rows()).as("the other's deletion is folded").isEqualTo(1);
  }

  private void requireNotLeader() {
    run();
    readers.forEach(Runnable::run);
    assertThat(answers).hasSize(1);
    assertThat(answers.get(0))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER));
  }

  @Test
  void a_row_is_read_when_nothing_comes_between() {
    get("a");
    range();
    run();
    readers.forEach(Runnable::run);
    assertThat(answers).hasSize(2);
    assertThat(rows(answers.get(0))).isEqualTo(1);
    assertThat(RowPage.decode((byte[]) answers.get(1)).rows().rowCount()).isEqualTo(2);
  }

  @Test
  void a_row_that_the_log_has_not_confirmed_for_too_long_is_not_read() {
    get("a");
    run();
    clock.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(SimNode.READ_AGE_MS + 1));
    requireNotLeader();
    assertThat((RefusedException) answers.get(0))
        .hasMessageContaining("has not heard from the log of partition 1 for more than 2000 ms");
    assertThat(replicas.count(Incident.READ_TOO_OLD)).isEqualTo(1);
    answers.clear();
    readers.clear();
    replicas.lookAtEnds();
    run();
    get("a");
    run();
    readers.forEach(Runnable::run);
    assertThat(rows(answers.get(0))).as("it was confirmed since").isEqualTo(1);
  }

  @Test
  void a_strict_read_sees_that_another_leads_where_a_bounded_one_does_not_yet() {
    land(Kind.MARKER, "");
    land(Kind.CHANGE, "a");
    get("a");
    reads().get(new GetRowRequest(table.tableId(), keyBytes("a"), ReadTerms.STRICT), new Answer());
    while (shard.step()) {
      // The log has told nothing yet.
    }
    readers.forEach(Runnable::run);
    assertThat(answers).as("only the bounded one is answered").hasSize(1);
    assertThat(rows(answers.get(0))).isEqualTo(1);
    answers.clear();
    readers.clear();
    requireNotLeader();
  }

  @Test
  void strict_pages_and_rows_are_read_when_the_log_has_confirmed_them() {
    reads().get(new GetRowRequest(table.tableId(), keyBytes("a"), ReadTerms.STRICT), new Answer());
    reads()
        .range(
            new RangeRequest(
                table.tableId(),
                Direction.FORWARD,
                100,
                1 << 20,
                Bytes.EMPTY,
                Bytes.EMPTY,
                ReadTerms.STRICT),
            new Answer());
    clock.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(SimNode.READ_AGE_MS + 1));
    run();
    readers.forEach(Runnable::run);
    assertThat(answers).hasSize(2);
    assertThat(rows(answers.get(0))).isEqualTo(1);
    assertThat(RowPage.decode((byte[]) answers.get(1)).rows().rowCount()).isEqualTo(2);
  }

  @Test
  void a_row_of_a_copy_that_was_dropped_before_it_was_read_is_not_absent() {
    get("a");
    run();
    leave();
    requireNotLeader();
  }

  @Test
  void a_row_of_a_copy_that_was_dropped_in_the_step_of_the_read_is_not_absent() {
    get("a");
    replicas.leave(P);
    requireNotLeader();
  }

  @Test
  void a_page_of_a_copy_that_was_dropped_is_no_empty_page() {
    range();
    run();
    leave();
    requireNotLeader();
  }

  @Test
  void a_row_of_a_copy_that_is_made_again_is_not_absent() {
    get("a");
    run();
    log.partition(P).origin = Bytes.fromHex("02");
    log.partition(P).kept.clear();
    replicas.lookAtEnds();
    run();
    assertThat(replicas.isServing(P)).as("the new copy serves").isTrue();
    requireNotLeader();
  }

  @Test
  void what_another_leader_has_done_is_not_read_before_that_one_serves_it() {
    get("a");
    run();
    loseToAnother();
    requireNotLeader();
  }

  @Test
  void nor_is_it_when_this_node_has_led_again_since() {
    get("a");
    run();
    loseToAnother();
    clock.nanos.addAndGet(5_000_000_000L);
    run();
    assertThat(replicas.isServing(P)).isTrue();
    requireNotLeader();
  }

  /** Homes that lose the partition as soon as a caller has learned that the partition is here. */
  private PartitionHosts leftAtOnce() {
    return partition -> {
      PartitionHost host = replicas.of(partition);
      leave();
      return host;
    };
  }

  private final class Sink implements BaseRows.Sink {
    @Override
    public void rows(byte[] batch, long lastPosition, Bytes lastKey, boolean isEnd) {
      answers.add(batch);
    }

    @Override
    public void more() {
      answers.add("more");
    }

    @Override
    public void end() {
      answers.add("end");
    }

    @Override
    public void failed(RuntimeException reason) {
      answers.add(reason);
    }
  }

  @Test
  void base_data_does_not_end_because_its_rows_are_dropped() {
    CurrentRows rows = new CurrentRows(catalog, leftAtOnce(), readers::add, () -> 1);
    rows.read("tunnel", P, Bytes.EMPTY, 1, 1 << 20, new Sink());
    requireNotLeader();
  }

  @Test
  void whether_there_is_a_row_is_not_said_of_rows_that_are_dropped() {
    CurrentRows rows = new CurrentRows(catalog, leftAtOnce(), readers::add, () -> 1);
    rows.read("tunnel", P, Bytes.EMPTY, 1, 0, new Sink());
    requireNotLeader();
  }

  @Test
  void a_description_has_no_figures_of_rows_that_were_dropped_while_they_were_counted() {
    Tables here = new Tables(replicas, replicas, ClusterView.none());
    assertThat(here.describe(table).partitions().get(0).rowCount()).isEqualTo(2);
    FakeView elsewhere = new FakeView("here:1");
    elsewhere.leads(P, "elsewhere:1");
    Tables tables = new Tables(leftAtOnce(), replicas, elsewhere);
    PartitionDescription described = tables.describe(table).partitions().get(0);
    assertThat(described.leader()).as("who is to be asked").contains("elsewhere:1");
  }

  @Test
  void rows_of_a_table_that_was_dropped_are_not_absent() throws IOException {
    get("a");
    run();
    catalog.dropTable(table, Asked.NAMELESS);
    readers.forEach(Runnable::run);
    assertThat(answers).hasSize(1);
    assertThat(((RefusedException) answers.get(0)).code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
  }
}
