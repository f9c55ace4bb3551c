package io.tunnel.it.sim;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.truth.ColumnConditions;
import io.tunnel.it.sim.truth.Counters;
import io.tunnel.it.sim.truth.Returns;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Writes changes that nobody has written before; what becomes of them the ledger sees. */
public final class SimWriter {

  public static final int IDS_PER_PARTITION = 1_000;
  private static final int ROWS_PER_PARTITION = 40;

  private final World world;
  private final SimClient client;
  private final SplittableRandom random;
  private final int tableId;
  private final List<Integer> partitions;
  private final Counters counters;
  private final Returns returns;

  /** Whether a batch is atomic: apart from the chances of the world, as those of counters. */
  private final SplittableRandom atomic;

  private long lastValue;

  SimWriter(World world, int tableId, List<Integer> partitions) {
    this.world = world;
    this.client = new SimClient(world.network, world.process("writer"));
    this.random = world.random.split();
    this.counters = new Counters(world.seed);
    this.returns = new Returns(world.seed);
    this.atomic = new SplittableRandom(~world.seed * 37);
    this.tableId = tableId;
    this.partitions = List.copyOf(partitions);
  }

  /** Writes some rows to any partition. */
  void writeAnywhere(int rows) {
    write(random.nextInt(partitions.size()), rows, Durability.FSYNC);
  }

  /** Writes some rows to a partition, by its place in the table. */
  void write(int index, int rows, Durability durability) {
    BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, 256);
    boolean isConditional = random.nextInt(3) == 0;
    boolean isCounting = counters.any();
    boolean isAtomic = rows > 1 && atomic.nextInt(6) == 0;
    if (isAtomic) {
      builder.setAttributes(Attributes.atomic(Bytes.EMPTY));
    }
    for (int i = 0; i < rows; i++) {
      RowChange change = change(index, isConditional);
      change = isConditional ? ColumnConditions.maybe(change, lastValue, random) : change;
      builder.add(returns.maybe(isCounting && !isAtomic ? counters.maybe(change) : change));
    }
    byte[] batch = builder.build(partitions.get(index));
    byte[] payload = WriteRequest.encode(tableId, Optional.of(durability), batch);
    var unused =
        client
            .request(Operation.WRITE, payload)
            .whenComplete(
                (answer, failure) -> {
                  if (failure != null) {
                    world.count(Happening.WRITE_IN_DOUBT);
                  }
                });
  }

  /** A key that is written now and then. */
  static long anyId(int index, SplittableRandom random) {
    return (long) index * IDS_PER_PARTITION + random.nextInt(ROWS_PER_PARTITION);
  }

  private RowExistenceExpectation condition() {
    return random.nextBoolean()
        ? RowExistenceExpectation.EXPECT_EXIST
        : RowExistenceExpectation.EXPECT_NOT_EXIST;
  }

  private RowChange change(int index, boolean isConditional) {
    long id = anyId(index, random);
    PrimaryKey key = PrimaryKey.builder().add("id", id).build();
    ColumnValue value = ColumnValue.fromLong(++lastValue);
    int dice = random.nextInt(10);
    if (isConditional && dice < 3) {
      return new RowPutChange(key, List.of(new Column("v", value)), condition());
    } else if (isConditional && dice < 5) {
      return new RowDeleteChange(key, condition());
    } else if (dice < 6) {
      return new RowPutChange(key, List.of(new Column("v", value), new Column("p", value)));
    } else if (dice < 8) {
      return new RowUpdateChange(
          key, List.of(new ColumnUpdate.Put("v", value), new ColumnUpdate.Delete("p")));
    }
    return new RowDeleteChange(key);
  }
}
