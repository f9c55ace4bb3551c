package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.read.BaseSnapshots;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.server.table.BaseRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows that leaders keep for a tunnel, across changes of the leader. */
class KeptRowsTest extends FeatureNodes {

  private static final String TUNNEL = "t1";
  private static final int KEYS = 30;

  private final Map<Node, BaseSnapshots> bases = new HashMap<>();

  /** By position, the key and the number that the change gave to the row; empty for a DELETE. */
  private final NavigableMap<Long, Change> changes = new TreeMap<>();

  private record Change(Bytes key, OptionalLong number) {}

  @BeforeEach
  void keep() throws IOException {
    // Replicas begin on threads that read the logs, which the test's thread must not change then.
    assertThat(nodes.logs.size(plain)).isZero();
    for (Node node : List.of(first, second)) {
      keep(node);
      node.replicas.follow(plain);
      nodes.settle();
    }
  }

  private void keep(Node node) {
    bases.put(
        node,
        new BaseSnapshots(
            catalog,
            node.replicas,
            node.replicas,
            Runnable::run,
            nodes.clock,
            BaseSnapshots.Limits.ofAge(60_000)));
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 40);
  }

  /** What a read found. */
  private static final class Found implements BaseRows.Sink {
    private final NavigableMap<Bytes, Long> rows = new TreeMap<>();
    private Optional<RuntimeException> failure = Optional.empty();
    private boolean isEnd;

    @Override
    public void rows(byte[] array, long lastPosition, Bytes lastKey, boolean end) {
      ChangeBatch batch = ChangeBatch.parse(array, 0, array.length);
      for (RowCursor row = batch.rows(); row.next(); ) {
        ColumnCursor column = row.columns();
        assertThat(column.next()).isTrue();
        rows.put(
            Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()), column.value().asLong());
      }
      isEnd = end;
    }

    @Override
    public void more() {
      throw new IllegalStateException("rows were asked for");
    }

    @Override
    public void end() {
      isEnd = true;
    }

    @Override
    public void failed(RuntimeException reason) {
      failure = Optional.of(reason);
    }
  }

  private Found read(Node node, Bytes after, int bytesMax) {
    Found found = new Found();
    bases.get(node).read(TUNNEL, plain, after, 1, bytesMax, found);
    return found;
  }

  private Found readAll(Node node) {
    Found found = read(node, Bytes.EMPTY, 1 << 20);
    assertThat(found.failure).isEmpty();
    assertThat(found.isEnd).isTrue();
    return found;
  }

  private long pin(Node node) throws IOException {
    CompletableFuture<Long> answer = bases.get(node).keep(TUNNEL, plain);
    nodes.settle();
    assertThat(answer).isDone();
    return answer.join();
  }

  private Outcomes send(Node node, String name, OptionalLong number) {
    RowChange change =
        number.isPresent()
            ? new RowPutChange(key(name), List.of(column("v", number.getAsLong())))
            : new RowDeleteChange(key(name));
    return send(node, plain, change);
  }

  private void write(Node node, String name, OptionalLong number) throws Exception {
    Outcomes outcome = send(node, name, number);
    nodes.settle();
    changes.put(outcome.result().firstPosition(), new Change(keyBytes(name), number));
  }

  private void write(Node node, String name, long number) throws Exception {
    write(node, name, OptionalLong.of(number));
  }

  /** The rows after all changes up to a position. */
  private NavigableMap<Bytes, Long> rowsAt(long position) {
    NavigableMap<Bytes, Long> rows = new TreeMap<>();
    apply(rows, changes.headMap(position, true));
    return rows;
  }

  private static void apply(Map<Bytes, Long> rows, Map<Long, Change> some) {
    some.values()
        .forEach(
            change -> {
              if (change.number().isPresent()) {
                rows.put(change.key(), change.number().getAsLong());
              } else {
                rows.remove(change.key());
              }
            });
  }

  private int snapshots(Node node) {
    return node.replicas.shards().stream().mapToInt(one -> one.store().snapshotCount()).sum();
  }

  @Test
  void the_leader_keeps_the_rows_of_one_moment_whatever_is_written_since() throws Exception {
    lead(first, plain);
    write(first, "a", 1);
    write(first, "b", 2);
    assertThat(pin(first)).isEqualTo(2);
    write(first, "a", 3);
    write(first, "b", OptionalLong.empty());
    write(first, "c", 4);
    assertThat(pin(first)).as("asked again").isEqualTo(2);
    assertThat(readAll(first).rows).isEqualTo(rowsAt(2));
    assertThat(read(second, Bytes.EMPTY, 100).failure)
        .get()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER));
  }

  @Test
  void a_write_that_is_under_way_is_in_the_rows_only_if_the_position_says_so() throws Exception {
    lead(first, plain);
    write(first, "a", 1);
    Outcomes underWay = send(first, "b", OptionalLong.of(2));
    long position = pin(first);
    changes.put(underWay.result().firstPosition(), new Change(keyBytes("b"), OptionalLong.of(2)));
    write(first, "c", 3);
    assertThat(readAll(first).rows).isEqualTo(rowsAt(position)).hasSize((int) position);
  }

  @Test
  void a_node_that_does_not_lead_keeps_nothing() throws Exception {
    lead(first, plain);
    CompletableFuture<Long> answer = bases.get(second).keep(TUNNEL, plain);
    nodes.settle();
    assertThat(answer)
        .isCompletedExceptionally()
        .satisfies(
            one ->
                assertThat(one.handle((position, failure) -> failure).join())
                    .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER)));
  }

  /** The node hears of the other leader before the look at the end of the log is over. */
  @Test
  void a_leader_that_was_deposed_keeps_no_rows() throws Exception {
    lead(first, plain);
    write(first, "a", 1);
    second.replicas.lead(plain);
    second.replicas.tick();
    var unusedOfSecond = second.step();
    nodes.logs.land(true);
    CompletableFuture<Long> answer = bases.get(first).keep(TUNNEL, plain);
    nodes.settle();
    assertThat(answer).isCompletedExceptionally();
    assertThat(snapshots(first)).isZero();
  }

  @Test
  void a_leader_of_two_epochs_keeps_the_rows_of_the_newer_one_alone() throws Exception {
    lead(first, plain);
    write(first, "a", 1);
    assertThat(pin(first)).isEqualTo(1);
    lead(second, plain);
    write(second, "b", 2);
    lead(first, plain);
    assertThat(readAll(first).rows).as("as they are").isEqualTo(rowsAt(2));
    assertThat(pin(first)).isEqualTo(2);
    write(first, "c", 3);
    assertThat(readAll(first).rows).isEqualTo(rowsAt(2));
    assertThat(snapshots(first)).isEqualTo(1);
    lead(second, plain);
    bases.get(first).tick();
    assertThat(snapshots(first)).isZero();
  }

  /**
   * Base data, and then the changes since a position that a leader has told, give the rows at the
   * end, wherever leaders change meanwhile.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void no_row_is_lost_when_leaders_change_while_base_data_is_read(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Node leader = first;
    lead(leader, plain);
    for (int i = 0; i < 40; i++) {
      writeAny(leader, random);
    }
    List<Long> answers = new ArrayList<>(List.of(pin(leader)));
    while (random.nextInt(3) > 0) {
      // The answer is lost, and the question comes again.
      leader = leadByAny(leader, random);
      writeAny(leader, random);
      answers.add(pin(leader));
    }
    long position = answers.get(random.nextInt(answers.size()));
    boolean isOfOneMoment = answers.stream().distinct().count() == 1;
    NavigableMap<Bytes, Long> delivered = new TreeMap<>();
    Bytes after = Bytes.EMPTY;
    for (boolean isEnd = false; !isEnd; ) {
      for (int i = random.nextInt(6); i > 0; i--) {
        writeAny(leader, random);
      }
      Node next = leadByAny(leader, random);
      isOfOneMoment &= next == leader;
      leader = next;
      bases.values().forEach(BaseSnapshots::tick);
      Found found = read(leader, after, 1 + random.nextInt(100));
      assertThat(found.failure).isEmpty();
      delivered.putAll(found.rows);
      after = found.rows.isEmpty() ? after : found.rows.lastKey();
      isEnd = found.isEnd;
    }
    if (isOfOneMoment) {
      assertThat(delivered).isEqualTo(rowsAt(position));
    }
    apply(delivered, changes.tailMap(position, false));
    assertThat(delivered).isEqualTo(rowsAt(changes.lastKey()));
    bases.values().forEach(base -> base.forget(TUNNEL));
    assertThat(snapshots(first) + snapshots(second)).isZero();
  }

  private Node leadByAny(Node leader, SplittableRandom random) throws IOException {
    if (random.nextInt(4) > 0) {
      return leader;
    }
    Node next = leader == first ? second : first;
    lead(next, plain);
    return next;
  }

  private void writeAny(Node leader, SplittableRandom random) throws Exception {
    String name = "k" + (10 + random.nextInt(KEYS));
    write(
        leader,
        name,
        random.nextInt(4) == 0 ? OptionalLong.empty() : OptionalLong.of(random.nextInt(1_000)));
  }
}
