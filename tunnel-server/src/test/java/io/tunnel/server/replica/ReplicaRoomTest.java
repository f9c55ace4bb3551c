package io.tunnel.server.replica;

import static io.tunnel.server.replica.SimNode.FREE_BYTES_MIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.FakeSharedLog;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What replicas do when the disk of their node is full. */
class ReplicaRoomTest {

  private static final int P = 1;
  private static final int OTHER = 2;

  private final FakeSharedLog log = new FakeSharedLog(new Random(1));
  private final AtomicLong nanos = new AtomicLong(1);
  private final WriteLedger ledger = new WriteLedger();
  private SimNode node;

  /** Where there is no room. */
  private enum Full {
    LOG,
    ROWS
  }

  @BeforeEach
  void lead() throws IOException {
    node = new SimNode("a", log, nanos, SimNode.Kept.ALL, new Random(1));
    node.replicas.lead(P);
    run();
  }

  private void run() {
    boolean moved = true;
    while (moved) {
      moved = node.step();
      moved |= log.settle();
    }
  }

  private void runLater(long millis) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    node.replicas.lookAtEnds();
    run();
    run();
  }

  private void room(Full full, boolean hasRoom) {
    if (full == Full.LOG) {
      node.disk.room(hasRoom ? Long.MAX_VALUE : 0);
    } else {
      node.rows.isFull = !hasRoom;
    }
  }

  private WriteLedger.Written begin(String key) {
    return begin(P, key);
  }

  private WriteLedger.Written begin(int partition, String key) {
    ChangeBatch batch =
        TestRows.batch(partition, TestRows.put(key, new Column("c", ColumnValue.fromString("x"))));
    WriteLedger.Written written = ledger.add(batch);
    node.replicas
        .of(partition)
        .write(new PendingWrite(batch, false, ColumnSizes.of(batch), true, written));
    return written;
  }

  private WriteLedger.Written write(String key) {
    WriteLedger.Written written = begin(key);
    run();
    return written;
  }

  private static void requireBusy(WriteLedger.Written written) {
    assertThat(written.refusal()).map(RefusedException::code).contains(ErrorCode.BUSY);
    assertThat(written.refusal().orElseThrow()).hasMessageContaining("disk is full");
  }

  private int readRows() {
    List<Integer> sizes = new ArrayList<>();
    node.replicas.of(P).requireFresh();
    node.replicas.of(P).execute(P, () -> sizes.add(node.rows.rows(P).size()));
    run();
    return sizes.get(0);
  }

  @Test
  void below_its_reserve_a_node_takes_no_writes_and_goes_on_with_all_else() {
    assertThat(write("a").result()).isPresent();
    node.disk.room(FREE_BYTES_MIN - 1);
    requireBusy(write("b"));
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.DISK_FULL);
    assertThat(node.replicas.figures().fullShards()).isEqualTo(1);
    assertThat(node.replicas.freeBytes()).isEqualTo(FREE_BYTES_MIN - 1);
    for (int i = 0; i < 5; i++) {
      runLater(SimNode.READ_AGE_MS / 2);
    }
    assertThat(readRows()).as("rows are read as long as they are fresh").isEqualTo(1);
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.DISK_FULL);
    node.disk.room(FREE_BYTES_MIN);
    runLater(1_000);
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.UP);
    assertThat(write("b").result()).isPresent();
    assertThat(readRows()).isEqualTo(2);
  }

  @Test
  void a_disk_that_gets_full_is_noticed_though_nobody_writes() {
    assertThat(write("a").result()).isPresent();
    node.disk.room(FREE_BYTES_MIN - 1);
    node.replicas.retain(0);
    run();
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.DISK_FULL);
    node.disk.room(FREE_BYTES_MIN);
    runLater(1_000);
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.UP);
    assertThat(write("b").result()).isPresent();
  }

  @Test
  void what_was_taken_before_is_finished_in_the_reserve() {
    WriteLedger.Written taken = begin("a");
    node.step();
    node.disk.room(FREE_BYTES_MIN - 1);
    run();
    assertThat(taken.result()).isPresent();
    node.disk.room(Long.MAX_VALUE);
    WriteLedger.Written second = begin("b");
    node.step();
    node.disk.room(FREE_BYTES_MIN / 2 - 1);
    run();
    assertThat(second.result()).as("not all of the reserve is for that").isEmpty();
    node.disk.room(FREE_BYTES_MIN);
    runLater(1_000);
    assertThat(second.result()).isPresent();
  }

  /** A write that is appended, and for which there is no room when it is read back. */
  private WriteLedger.Written beginWithoutRoom(Full full) {
    WriteLedger.Written under = begin("b");
    node.step();
    room(full, false);
    run();
    return under;
  }

  @ParameterizedTest
  @EnumSource
  void what_is_read_while_there_is_no_room_counts_when_there_is(Full full) throws IOException {
    assertThat(write("a").result()).isPresent();
    WriteLedger.Written under = beginWithoutRoom(full);
    assertThat(under.result()).as("nobody is told before it is stored").isEmpty();
    assertThat(under.refusal()).isEmpty();
    requireBusy(write("c"));
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.DISK_FULL);
    assertThat(node.replicas.leads()).containsExactly(P);
    runLater(1_500);
    assertThat(readRows()).isEqualTo(1);
    room(full, true);
    runLater(1_000);
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.UP);
    assertThat(under.result()).isPresent();
    assertThat(write("c").result()).isPresent();
    assertThat(readRows()).isEqualTo(3);
    assertThat(node.delivered(P, 0)).hasSize(3);
  }

  @ParameterizedTest
  @EnumSource
  void a_write_that_finds_no_room_for_long_has_no_certain_outcome(Full full) {
    WriteLedger.Written under = beginWithoutRoom(full);
    runLater(SimNode.CONFIG.times().outcomeDeadlineMs());
    assertThat(under.refusal()).map(RefusedException::code).contains(ErrorCode.STORAGE_FAILED);
    assertThat(under.refusal().orElseThrow()).hasMessageContaining("disk of the node is full");
    room(full, true);
    runLater(1_000);
    assertThat(node.rows.rows(P)).as("it was appended all the same").hasSize(1);
    assertThat(write("c").result()).isPresent();
  }

  @Test
  void who_is_to_lead_no_more_serves_nothing_without_room_either() {
    assertThat(write("a").result()).isPresent();
    WriteLedger.Written under = beginWithoutRoom(Full.LOG);
    node.replicas.follow(P);
    run();
    assertThatThrownBy(() -> node.replicas.of(P))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER));
    room(Full.LOG, true);
    runLater(1_000);
    assertThat(under.result()).isPresent();
    assertThat(node.replicas.isServing(P)).isFalse();
  }

  @Test
  void no_more_is_read_from_the_log_than_may_wait_and_all_of_it_later() {
    node.replicas.follow(OTHER);
    run();
    node.rows.isFull = true;
    assertThat(write("a").result()).isEmpty();
    long before = node.replicas.settled(OTHER);
    foreignMarkers();
    long waiting = node.replicas.figures().waitingReadBytes();
    assertThat(waiting).isGreaterThan(SimNode.CONFIG.batches().readBytesMax());
    foreignMarkers();
    assertThat(node.replicas.figures().waitingReadBytes()).isEqualTo(waiting);
    assertThat(node.replicas.settled(OTHER)).isEqualTo(before);
    node.rows.isFull = false;
    runLater(1_000);
    assertThat(node.replicas.settled(OTHER)).isEqualTo(log.partition(OTHER).end() - 1);
    assertThat(node.replicas.figures().waitingReadBytes()).isZero();
  }

  /** More than may wait. */
  private void foreignMarkers() {
    for (int i = 0; i < 200; i++) {
      Bytes value = Bytes.fromHex(String.format("0102%06x", log.partition(OTHER).end()));
      log.land(OTHER, new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, Optional.of(value)));
    }
    runLater(1_000);
  }

  @Test
  void a_copy_that_cannot_go_or_begin_does_so_when_there_is_room() {
    node.rows.isFull = true;
    node.replicas.leave(P);
    node.replicas.follow(OTHER);
    run();
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.DISK_FULL);
    node.replicas.lead(OTHER);
    run();
    node.rows.isFull = false;
    runLater(1_000);
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.UP);
    assertThat(node.replicas.status().toString()).contains("LEADING");
    assertThat(node.replicas.status()).hasSize(1);
    assertThat(node.replicas.isServing(OTHER)).isTrue();
  }

  @Test
  void a_copy_that_could_not_go_and_is_wanted_again_goes_on() {
    node.rows.isFull = true;
    node.replicas.leave(P);
    run();
    node.replicas.lead(P);
    node.rows.isFull = false;
    runLater(1_000);
    assertThat(write("a").result()).isPresent();
  }

  @ParameterizedTest
  @EnumSource
  void a_node_that_is_killed_without_room_has_everything_afterwards(Full full) throws IOException {
    assertThat(write("a").result()).isPresent();
    WriteLedger.Written under = beginWithoutRoom(full);
    assertThat(under.result()).isEmpty();
    room(full, true);
    node.restart();
    node.replicas.lead(P);
    run();
    assertThat(readRows()).isEqualTo(2);
  }

  /** The log's partition is deleted and made anew, and the node hears of it. */
  private void makeAnew() {
    log.partition(P).origin = Bytes.fromHex("02");
    log.partition(P).truncate(0);
    runLater(1_000);
  }

  @ParameterizedTest
  @EnumSource
  void a_copy_of_another_log_is_made_again_behind_what_there_was_no_room_for(Full full)
      throws IOException {
    assertThat(write("a").result()).isPresent();
    WriteLedger.Written under = beginWithoutRoom(full);
    assertThat(under.result()).isEmpty();
    makeAnew();
    assertThat(node.replicas.isServing(P)).isFalse();
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.DISK_FULL);
    room(full, true);
    runLater(1_000);
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.UP);
    assertThat(under.refusal().isPresent() || under.result().isPresent()).isTrue();
    assertThat(node.rows.rows(P)).as("nothing of the former log").isEmpty();
    assertThat(write("c").result()).isPresent();
    assertThat(readRows()).isEqualTo(1);
  }

  @Test
  void a_copy_that_is_made_again_forgets_no_rows_of_others_that_there_was_no_room_for() {
    node.replicas.lead(OTHER);
    run();
    WriteLedger.Written under = begin(OTHER, "b");
    node.step();
    node.rows.isFull = true;
    run();
    makeAnew();
    node.rows.isFull = false;
    runLater(1_000);
    assertThat(under.result()).isPresent();
    assertThat(node.rows.rows(OTHER)).hasSize(1);
    assertThat(write("c").result()).isPresent();
  }

  @Test
  void a_leader_whose_copy_is_made_again_when_there_is_room_leads_again() {
    assertThat(write("a").result()).isPresent();
    node.rows.isFull = true;
    makeAnew();
    assertThat(node.replicas.condition()).isEqualTo(DiskCondition.DISK_FULL);
    assertThat(node.replicas.isServing(P)).isFalse();
    runLater(1_000);
    node.rows.isFull = false;
    runLater(1_000);
    assertThat(write("b").result()).isPresent();
    assertThat(readRows()).isEqualTo(1);
  }

  @Test
  void nothing_is_dropped_before_what_there_was_no_room_for_is_stored() throws IOException {
    FakeReplicaRows rows = new FakeReplicaRows(new Random(1));
    ReplicaStore store = node.store(rows);
    Replica replica = node.shard.replicas().get(P);
    rows.isFull = true;
    assertThatThrownBy(() -> store.fold(List.of(replica), false))
        .isInstanceOf(DiskFullException.class);
    ReplicaStore.Left leaving = new ReplicaStore.Left(replica);
    assertThatThrownBy(() -> store.drop(OTHER, 0, leaving))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("partition 2 cannot be dropped");
    rows.isFull = false;
    store.fold(List.of(), false);
    store.drop(OTHER, 0, leaving);
    assertThat(rows.states()).containsOnlyKeys(P, OTHER);
  }
}
