package io.tunnel.it.sim.cluster;

import io.tunnel.codec.KeyCodec;
import io.tunnel.it.sim.AnyRows;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Direction;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Reads rows of any node: of the leader as a rule, of the leader before, which may not know of its
 * replacement, and of nodes that do not lead. The SDK asks the leader alone, so these reads are
 * frames of their own.
 */
final class ClusterReads {

  private static final int PAGE_ROWS_MAX = 40;
  private static final int PAGE_BYTES_MAX = 1_000;

  private final ClusterWorld world;
  private final ClusterClient client;
  private final SplittableRandom random;
  private final int tableId;
  private final List<Integer> partitions;

  /** The names of the leaders that were decided last, by partition, and of those before. */
  private final Map<Integer, String> leaders = new TreeMap<>();

  private final Map<Integer, String> former = new TreeMap<>();

  /** Nothing is read yet. */
  ClusterReads(ClusterWorld world, int tableId, List<Integer> partitions) {
    this.world = world;
    this.client = new ClusterClient(world, "writer");
    this.random = world.random.split();
    this.tableId = tableId;
    this.partitions = List.copyOf(partitions);
  }

  private void learnLeaders() {
    for (int partition : partitions) {
      String now = world.group.last().leaders().get(partition);
      String before = now == null ? null : leaders.put(partition, now);
      if (before != null && !before.equals(now)) {
        former.put(partition, before);
      }
    }
  }

  private Endpoint anyNode(int partition) {
    List<Endpoint> all = world.endpoints();
    Endpoint any = all.get(random.nextInt(all.size()));
    Map<Integer, String> by =
        switch (random.nextInt(6)) {
          case 0 -> Map.of();
          case 1, 2 -> former;
          default -> leaders;
        };
    return by.containsKey(partition)
        ? Endpoint.of(world.machines.get(by.get(partition)).address())
        : any;
  }

  private Bytes anyKey(int place) {
    return KeyCodec.encode(AnyRows.anyKey(place, random), RowFold.SCHEMA);
  }

  /** Reads one row or several rows that are written now and then, by the place of a partition. */
  void read(int place) {
    learnLeaders();
    ReadTerms terms = random.nextInt(4) == 0 ? ReadTerms.STRICT : ReadTerms.BOUNDED;
    Endpoint node = anyNode(partitions.get(place));
    if (random.nextInt(3) > 0) {
      byte[] get = new GetRowRequest(tableId, anyKey(place), terms).encode();
      var unused = client.ask(node, Operation.GET_ROW, get);
      return;
    }
    Bytes one = anyKey(place);
    Bytes other = anyKey(place);
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
}
