package io.tunnel.it.sim.cluster;

import io.tunnel.codec.KeyCodec;
import io.tunnel.it.sim.AnyRows;
import io.tunnel.it.sim.SimProgram;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.control.Control.TableDescription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A table whose rows live for some seconds, a program that writes to it, and reads of its rows. In
 * a half of the worlds rows live so long that most of them outlive the faults: then the last leader
 * deletes rows that it was given by a snapshot, or by another leader.
 */
final class ClusterLives {

  private static final String TABLE = "lives";
  private static final int PARTITIONS_MAX = 2;
  private static final int TTL_MS_MIN = 1_000;
  private static final int TTL_MS_MAX = 7_000;
  private static final int LONG_TTL_MS_MIN = 15_000;
  private static final int LONG_TTL_MS_MAX = 40_000;

  /** A table at rest has deleted a row so long after the time of the row was over. */
  private static final long DELETED_MS_MAX = 4_000;

  private static final long CHANCE = 0x77174L;

  private final ClusterWorld world;
  private final SplittableRandom random;
  private final ClusterClient client;
  private final TableDescription table;
  private final SimProgram program;

  private ClusterLives(ClusterWorld world, SplittableRandom random, TableDescription table) {
    this.world = world;
    this.random = random;
    this.table = table;
    this.client = new ClusterClient(world, "writer");
    this.program = new SimProgram(world, random.split(), TABLE, partitions(), 1);
  }

  /** In a half of the worlds that may have it, by a chance of its own. */
  static Optional<ClusterLives> maybe(ClusterWorld world, ClusterOperator operator) {
    SplittableRandom random = new SplittableRandom(world.seed ^ CHANCE);
    if (random.nextBoolean()) {
      return Optional.empty();
    }
    Duration ttl =
        random.nextBoolean()
            ? anyMillis(random, TTL_MS_MIN, TTL_MS_MAX)
            : anyMillis(random, LONG_TTL_MS_MIN, LONG_TTL_MS_MAX);
    TableDescription table =
        operator.createTable(
            new TableMeta(TABLE, RowFold.SCHEMA, TableOptions.DEFAULT.withTtl(ttl)),
            1 + random.nextInt(PARTITIONS_MAX));
    ClusterLives lives = new ClusterLives(world, random, table);
    lives.partitions().forEach(id -> world.log(id).expires(ttl.toNanos() / 1_000));
    return Optional.of(lives);
  }

  private static Duration anyMillis(SplittableRandom random, int least, int most) {
    return Duration.ofMillis(random.nextInt(least, most));
  }

  /** The table. */
  TableDescription table() {
    return table;
  }

  /** The partitions of the table, in the order of their keys. */
  List<Integer> partitions() {
    return table.partitions().stream().map(each -> each.id()).toList();
  }

  /** Now and then writes some rows and reads a row. */
  void act() {
    if (random.nextInt(3) > 0) {
      return;
    }
    int place = random.nextInt(table.partitions().size());
    program.write(
        place, 1 + random.nextInt(4), random.nextInt(3) == 0 ? Durability.OS : Durability.FSYNC);
    Bytes key = KeyCodec.encode(AnyRows.anyKey(place, random), RowFold.SCHEMA);
    ReadTerms terms = random.nextInt(4) == 0 ? ReadTerms.STRICT : ReadTerms.BOUNDED;
    byte[] get = new GetRowRequest(table.tableId(), key, terms).encode();
    var unused = client.ask(client.node(Optional.empty()), Operation.GET_ROW, get);
  }

  /** Every row has an outcome, but for rows of programs that were killed. */
  boolean isDone() {
    return program.isDone();
  }

  /** Lets time pass until the last row must have gone; nobody writes to the table any more. */
  void runOut() {
    long last =
        partitions().stream()
            .mapToLong(id -> world.truth.log(id).lastExpiresMicros())
            .max()
            .orElse(0);
    long millis = (last - world.nowMicros()) / 1_000 + DELETED_MS_MAX;
    if (last > 0 && millis > 0) {
      world.run(millis);
    }
  }
}
