package io.tunnel.server.net;

import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.PartitionControl.Watch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watches over real connections to a node of a cluster. */
final class WatchTest {

  private static final int ENOUGH = 1 << 20;

  @TempDir private Path directory;
  private TestNode node;
  private RawClient client;
  private int here;

  @BeforeEach
  void open() throws IOException {
    node = new TestNode(directory);
    node.view.level(2);
    client = node.client();
    here = TestNode.first(node.mine);
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    node.close();
  }

  private Watch watch(ChannelType type, long position, KeyTerms terms) {
    return new Watch(
        new ReadPartition(here, type, position, Bytes.EMPTY, Optional.empty(), Optional.empty()),
        terms);
  }

  private static KeyTerms keys(String... keys) {
    return new KeyTerms(
        List.of(keys).stream().map(key -> keyBytes(key)).toList(), List.of(), false);
  }

  private static KeyTerms prefix(String prefix) {
    Bytes whole = keyBytes(prefix);
    return new KeyTerms(
        List.of(), List.of(Bytes.copyOf(whole.toByteArray(), 0, whole.length() - 1)), false);
  }

  private int follow(long position, KeyTerms terms) throws IOException {
    return client
        .granted(Operation.WATCH, watch(ChannelType.Stream, position, terms), Attached.class)
        .handle();
  }

  private void credit(int handle, int bytes) throws IOException {
    client.push(Operation.CREDIT, new Credit(handle, 0, bytes).encode());
  }

  private void write(String... keys) throws IOException {
    for (String key : keys) {
      client.granted(Operation.WRITE, TestNode.write(node.mine, here, put(key)));
    }
    node.settleBounds();
  }

  /** The next positions that are delivered under a handle. */
  private List<Long> next(int handle, int count) throws IOException {
    List<Long> positions = new ArrayList<>();
    while (positions.size() < count) {
      Delivery delivery = Delivery.decode(client.pushed(Operation.DELIVER).payload());
      assertThat(delivery.handle()).isEqualTo(handle);
      assertThat(delivery.firstPosition()).isEqualTo(delivery.batches().get(0).basePosition());
      for (ChangeBatch batch : delivery.batches()) {
        assertThat(batch.rowCount()).isEqualTo(1);
        positions.add(batch.basePosition());
      }
    }
    return positions;
  }

  private static void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private static ChannelEnd settled(RawClient client) throws IOException {
    return ChannelEnd.decode(client.pushed(Operation.SETTLED).payload());
  }

  @Test
  void changes_that_match_come_behind_the_position_and_as_they_are_made() throws IOException {
    write("a", "b", "a", "ab");
    int exact = follow(1, keys("a"));
    credit(exact, ENOUGH);
    assertThat(next(exact, 1)).containsExactly(3L);
    write("b", "a");
    assertThat(next(exact, 1)).containsExactly(6L);
    int begins = follow(0, prefix("a"));
    credit(begins, ENOUGH);
    assertThat(next(begins, 4)).containsExactly(1L, 3L, 4L, 6L);
    assertThat(node.watches().watches()).isEqualTo(2);
    client.close();
    client = node.client();
    client.granted(Operation.WRITE, TestNode.write(node.mine, here, put("a")));
  }

  @Test
  void who_gives_no_credit_falls_behind_and_loses_nothing() throws IOException {
    int slow = follow(0, prefix("k"));
    int fast = follow(0, keys("k7"));
    credit(fast, ENOUGH);
    for (int i = 1; i <= 40; i++) {
      write("k" + i);
    }
    assertThat(next(fast, 1)).containsExactly(7L);
    assertThat(node.watches().bufferedBytes()).as("for the slow one").isZero();
    // The hub counts behind its delivery.
    until(() -> node.watches().behind() == 1 && node.watches().readRows() == 40);
    assertThat(node.watches().catchUpRows()).isZero();
    List<Long> seen = new ArrayList<>();
    while (seen.size() < 40) {
      // A byte is room for a change, and for no second one.
      credit(slow, 200);
      seen.addAll(next(slow, 1));
    }
    for (int i = 0; i < 40; i++) {
      assertThat(seen.get(i)).isEqualTo(i + 1);
    }
    until(() -> node.watches().catchUpRows() >= 40);
  }

  @Test
  void a_watch_is_told_now_and_then_how_far_the_server_has_looked() throws IOException {
    int handle = follow(0, keys("a"));
    credit(handle, ENOUGH);
    write("b", "c", "a", "d");
    assertThat(next(handle, 1)).containsExactly(3L);
    node.clock.pass(10_001);
    node.tick();
    assertThat(settled(client)).isEqualTo(new ChannelEnd(handle, 0, 4));
    write("e");
    node.clock.pass(5_000);
    node.tick();
    node.clock.pass(5_001);
    node.tick();
    assertThat(settled(client)).isEqualTo(new ChannelEnd(handle, 0, 5));
  }

  @Test
  void rows_that_match_come_and_say_at_which_position_they_are() throws IOException {
    write("a", "b", "ab", "c", "aa");
    KeyTerms terms =
        new KeyTerms(List.of(keyBytes("c"), keyBytes("x")), prefix("a").prefixes(), true);
    int handle =
        client
            .granted(Operation.WATCH, watch(ChannelType.BaseData, 0, terms), Attached.class)
            .handle();
    credit(handle, ENOUGH);
    assertThat(settled(client)).isEqualTo(new ChannelEnd(handle, 0, 5));
    ChangeBatch batch =
        Delivery.decode(client.pushed(Operation.DELIVER).payload()).batches().get(0);
    List<Bytes> keys = new ArrayList<>();
    for (RowCursor row = batch.rows(); row.next(); ) {
      assertThat(row.columns().left()).isZero();
      keys.add(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
    }
    assertThat(keys).containsExactly(keyBytes("a"), keyBytes("aa"), keyBytes("ab"), keyBytes("c"));
    assertThat(ChannelEnd.decode(client.pushed(Operation.END_OF_CHANNEL).payload()).position())
        .isEqualTo(4);
  }

  @Test
  void what_is_lost_ends_it_with_the_reason() throws IOException {
    write("a");
    int handle = follow(1, keys("a"));
    node.lose(here);
    Frame told = client.pushed(Operation.DELIVER);
    assertThat(told.correlationId()).isEqualTo(handle);
    assertThat(RawClient.error(told).code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(node.readings.count()).isZero();
    assertThat(node.watches().watches()).isZero();
    node.lead(here);
    int again = follow(1, keys("a"));
    credit(again, ENOUGH);
    write("a");
    assertThat(next(again, 1)).containsExactly(2L);
  }

  @Test
  void history_that_is_gone_is_no_gap_but_a_refusal() throws IOException {
    write("a", "b", "c");
    node.changes.forgetBefore(3);
    int late = follow(0, keys("c"));
    int inTime = follow(2, keys("c"));
    credit(inTime, ENOUGH);
    assertThat(next(inTime, 1)).containsExactly(3L);
    credit(late, ENOUGH);
    Frame told = client.pushed(Operation.DELIVER);
    assertThat(told.correlationId()).isEqualTo(late);
    assertThat(RawClient.error(told).code()).isEqualTo(ErrorCode.HISTORY_LOST);
  }

  @Test
  void below_its_level_and_with_keys_of_another_table_it_is_refused() throws IOException {
    Bytes number = Bytes.fromHex("038000000000000001");
    KeyTerms wrong = new KeyTerms(List.of(), List.of(number), false);
    assertThat(client.refused(Operation.WATCH, watch(ChannelType.Stream, 0, wrong)).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    KeyTerms wrongKey = new KeyTerms(List.of(number), List.of(), false);
    assertThat(client.refused(Operation.WATCH, watch(ChannelType.Stream, 0, wrongKey)).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    node.view.level(1);
    assertThat(client.refused(Operation.WATCH, watch(ChannelType.Stream, 0, keys("a"))).code())
        .isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
    assertThat(node.readings.count()).isZero();
  }
}
