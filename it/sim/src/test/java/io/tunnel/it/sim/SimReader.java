package io.tunnel.it.sim;

import io.tunnel.codec.KeyCodec;
import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Direction;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import java.util.SplittableRandom;

/** Asks for rows, one by one and by pages; what it is answered the ledger sees. */
final class SimReader {

  private static final int PAGE_ROWS_MAX = 60;
  private static final int PAGE_BYTES_MAX = 1_000;

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
    PrimaryKey key =
        PrimaryKey.builder().add("id", SimWriter.anyId(random.nextInt(partitions), random)).build();
    return KeyCodec.encode(key, RowFold.SCHEMA);
  }

  void get() {
    var unused = client.request(Operation.GET_ROW, new GetRowRequest(tableId, anyKey()).encode());
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
            false);
    var unused = client.request(Operation.GET_RANGE, request.encode());
  }
}
