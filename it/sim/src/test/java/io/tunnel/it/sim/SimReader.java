package io.tunnel.it.sim;

import io.tunnel.codec.KeyCodec;
import io.tunnel.condition.Condition;
import io.tunnel.condition.RowSelection;
import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.truth.NumberedTruth;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Direction;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Asks for rows, one by one and by pages; what it is answered the ledger sees. */
final class SimReader {

  private static final int PAGE_ROWS_MAX = 60;
  private static final int PAGE_BYTES_MAX = 1_000;

  /** The values of most worlds are below. */
  private static final int VALUE_MAX = 200;

  private final SimClient client;
  private final SplittableRandom random;
  private final int tableId;
  private final int partitions;

  SimReader(World world, int tableId, int partitions) {
    this.client = new SimClient(world.network, world.process("reader"));
    this.random = world.random.split();
    this.tableId = tableId;
    this.partitions = partitions;
  }

  private Bytes anyKey() {
    return anyKey(random.nextInt(partitions));
  }

  private Bytes anyKey(int partition) {
    return KeyCodec.encode(AnyRows.anyKey(partition, random), RowFold.SCHEMA);
  }

  /** Any terms; half of the reads ask for whole rows and all of them. */
  private ReadTerms anyTerms() {
    RowSelection selection = RowSelection.ALL;
    if (random.nextBoolean()) {
      selection = random.nextInt(4) == 0 ? selection : selection.where(anyCondition(2));
      selection = random.nextInt(3) > 0 ? selection : selection.withColumns("p");
      selection = random.nextInt(2) > 0 ? selection : selection.withCommitTimes();
    }
    return new ReadTerms(random.nextInt(4) == 0, selection);
  }

  private Condition anyCondition(int depth) {
    int dice = random.nextInt(depth == 0 ? 6 : 9);
    long number = NumberedTruth.VALUES_FROM * (1 + random.nextInt(3)) + random.nextInt(VALUE_MAX);
    return switch (dice) {
      case 0 -> Condition.column("v").isAtLeast(number);
      case 1 -> Condition.column("v").isLessThan(number);
      case 2 -> Condition.column("p").exists();
      case 3 -> Condition.column("p").isEqualTo(Condition.column("v"));
      case 4 -> Condition.column("id").isGreaterThan(AnyRows.anyId(0, random));
      case 5 -> Condition.column("p").isNotEqualTo(number);
      case 6 -> anyCondition(depth - 1).and(anyCondition(depth - 1));
      case 7 -> anyCondition(depth - 1).or(anyCondition(depth - 1));
      default -> anyCondition(depth - 1).negate();
    };
  }

  /** A row, or some rows of a partition. */
  void get() {
    ReadTerms terms = anyTerms();
    if (random.nextInt(3) > 0) {
      var unused =
          client.request(Operation.GET_ROW, new GetRowRequest(tableId, anyKey(), terms).encode());
      return;
    }
    int partition = random.nextInt(partitions);
    TreeSet<Bytes> keys = new TreeSet<>();
    for (int i = 0; i <= random.nextInt(8); i++) {
      keys.add(anyKey(partition));
    }
    var unused =
        client.request(
            Operation.GET_ROWS, new GetRowsRequest(tableId, List.copyOf(keys), terms).encode());
  }

  /** A page of one partition, from either end of a range that may have no ends. */
  void range() {
    Bytes one = random.nextInt(3) == 0 ? Bytes.EMPTY : anyKey();
    Bytes other = random.nextInt(3) == 0 ? Bytes.EMPTY : anyKey();
    boolean isReversed = other.length() > 0 && one.compareTo(other) > 0;
    RangeRequest request =
        new RangeRequest(
            tableId,
            random.nextBoolean() ? Direction.FORWARD : Direction.BACKWARD,
            1 + random.nextInt(PAGE_ROWS_MAX),
            1 + random.nextInt(PAGE_BYTES_MAX),
            isReversed ? other : one,
            isReversed ? one : other,
            anyTerms());
    var unused = client.request(Operation.GET_RANGE, request.encode());
  }
}
