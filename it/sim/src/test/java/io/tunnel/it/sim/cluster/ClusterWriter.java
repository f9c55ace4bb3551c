package io.tunnel.it.sim.cluster;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.it.sim.truth.ColumnConditions;
import io.tunnel.it.sim.truth.Counters;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Direction;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Writes new changes, and reports their outcomes. */
final class ClusterWriter {

  static final int IDS_PER_PARTITION = 1_000;
  private static final int ROWS_PER_PARTITION = 25;
  private static final int PAGE_ROWS_MAX = 40;
  private static final int PAGE_BYTES_MAX = 1_000;

  private final ClusterWorld world;
  private final ClusterClient client;
  private final SplittableRandom random;
  private final int tableId;
  private final List<Integer> partitions;
  private final Map<Integer, Endpoint> leaders = new TreeMap<>();

  /** Former leaders, perhaps unaware of their replacement. */
  private final Map<Integer, Endpoint> former = new TreeMap<>();

  private final Map<Integer, Long> acknowledged = new TreeMap<>();
  private final Counters counters;
  private long lastValue;

  ClusterWriter(ClusterWorld world, int tableId, List<Integer> partitions) {
    this.world = world;
    this.client = new ClusterClient(world, "writer");
    this.random = world.random.split();
    this.counters = new Counters(world.seed);
    this.tableId = tableId;
    this.partitions = List.copyOf(partitions);
  }

  List<Integer> partitions() {
    return partitions;
  }

  /** How many writes to a partition were acknowledged. */
  long acknowledged(int partition) {
    return acknowledged.getOrDefault(partition, 0L);
  }

  /** Writes some rows to a partition, by its place in the table; once. */
  void write(int index, int rows) {
    int partition = partitions.get(index);
    boolean isConditional = random.nextInt(3) == 0;
    List<RowChange> changes = new ArrayList<>();
    boolean isCounting = counters.any();
    for (int i = 0; i < rows; i++) {
      RowChange change = change(index, isConditional);
      change = isConditional ? ColumnConditions.maybe(change, lastValue, random) : change;
      changes.add(isCounting ? counters.maybe(change) : change);
    }
    BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, 256);
    changes.forEach(builder::add);
    byte[] bytes = builder.build(partition);
    byte[] payload = WriteRequest.encode(tableId, Optional.empty(), bytes);
    List<Endpoint> all = world.endpoints();
    Endpoint node =
        Optional.ofNullable(leaders.get(partition))
            .orElseGet(() -> all.get(random.nextInt(all.size())));
    var unused =
        client
            .ask(node, Operation.WRITE, payload)
            .whenComplete(
                (answer, failure) -> {
                  ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
                  if (failure == null) {
                    leads(partition, node);
                    written(batch, WriteResult.decode(answer.payload()));
                  } else {
                    Optional.ofNullable(leaders.remove(partition))
                        .ifPresent(before -> former.put(partition, before));
                    failed(batch, ClusterClient.cause(failure));
                  }
                });
  }

  private Bytes anyKey(int index) {
    long id = (long) index * IDS_PER_PARTITION + random.nextInt(ROWS_PER_PARTITION);
    return KeyCodec.encode(PrimaryKey.builder().add("id", id).build(), RowFold.SCHEMA);
  }

  private void leads(int partition, Endpoint node) {
    Endpoint before = leaders.put(partition, node);
    if (before != null && !before.equals(node)) {
      former.put(partition, before);
    }
  }

  /** A node for a read: the leader most often, the one before sometimes, or any. */
  private Endpoint anyReader(int partition) {
    List<Endpoint> all = world.endpoints();
    Endpoint any = all.get(random.nextInt(all.size()));
    return switch (random.nextInt(6)) {
      case 0 -> any;
      case 1, 2 -> former.getOrDefault(partition, any);
      default -> leaders.getOrDefault(partition, any);
    };
  }

  /** Reads one row or several rows that are written now and then. */
  void read(int index) {
    ReadTerms terms = random.nextInt(4) == 0 ? ReadTerms.STRICT : ReadTerms.BOUNDED;
    Endpoint node = anyReader(partitions.get(index));
    if (random.nextInt(3) > 0) {
      byte[] get = new GetRowRequest(tableId, anyKey(index), terms).encode();
      var unused = client.ask(node, Operation.GET_ROW, get);
      return;
    }
    Bytes one = anyKey(index);
    Bytes other = anyKey(index);
    boolean isReversed = one.compareTo(other) > 0;
    RangeRequest range =
        new RangeRequest(
            tableId,
            random.nextBoolean() ? Direction.FORWARD : Direction.BACKWARD,
            1 + random.nextInt(PAGE_ROWS_MAX),
            1 + random.nextInt(PAGE_BYTES_MAX),
            isReversed ? other : one,
            isReversed ? one : other,
            terms);
    var unused = client.ask(node, Operation.GET_RANGE, range.encode());
  }

  private void written(ChangeBatch batch, WriteResult result) {
    world.count(ClusterHappening.WRITE_ACKNOWLEDGED);
    acknowledged.merge(batch.partition(), 1L, Long::sum);
    world.trace.add("acknowledged " + result + " of partition " + batch.partition());
    world.watch(() -> world.truth.acknowledged(batch, result));
  }

  private void failed(ChangeBatch batch, Throwable failure) {
    if (failure instanceof RefusedException refused && refused.retriable()) {
      world.count(ClusterHappening.WRITE_REFUSED);
      world.truth.refused(batch);
      ClusterClient.leader(refused).ifPresent(next -> leaders.put(batch.partition(), next));
    } else {
      world.count(ClusterHappening.WRITE_IN_DOUBT);
    }
  }

  private RowChange change(int index, boolean isConditional) {
    long id = (long) index * IDS_PER_PARTITION + random.nextInt(ROWS_PER_PARTITION);
    PrimaryKey key = PrimaryKey.builder().add("id", id).build();
    ColumnValue value = ColumnValue.fromLong(++lastValue);
    int dice = random.nextInt(10);
    if (isConditional && dice < 3) {
      return new RowPutChange(
          key,
          List.of(new Column("v", value)),
          random.nextBoolean()
              ? RowExistenceExpectation.EXPECT_EXIST
              : RowExistenceExpectation.EXPECT_NOT_EXIST);
    } else if (dice < 6) {
      return new RowPutChange(key, List.of(new Column("v", value), new Column("p", value)));
    } else if (dice < 8) {
      return new RowUpdateChange(
          key, List.of(new ColumnUpdate.Put("v", value), new ColumnUpdate.Delete("p")));
    }
    return new RowDeleteChange(key);
  }
}
