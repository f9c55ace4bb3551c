package io.tunnel.it.memory;

import io.netty.channel.ChannelHandler;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.cluster.OwnLevel;
import io.tunnel.server.engine.LocalRooms;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.Served;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.net.MemoryFront;
import io.tunnel.server.partition.MemoryShards;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.read.BaseSnapshots;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.table.MemoryTables;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The rooms of a single server between two crashes, over contents that outlive them. */
final class MemoryEngine {

  private static final int SEGMENT_BYTES_MAX = 64 << 20;
  private static final long REVOKE_DEADLINE_MS = 5_000;
  private static final int DELIVERY_BYTES_MAX = 256 * 1024;
  private static final int EXPIRED_ROWS_PER_SECOND_MAX = 1_000_000;
  private static final long SNAPSHOT_MS_MAX = 3_600_000;
  private static final Bytes GRANTS_KEY = Bytes.fromHex("52");

  private final Kept kept;
  private final MovedClock clock;
  private final MemoryShards shards;
  private final BaseSnapshots bases;
  private final LocalRooms rooms;
  private final Served served;
  private final MemoryFront front;

  /** What outlives a process. */
  record Kept(MemoryDisk disk, MemoryStore store, MemoryTables rows) {

    /** Nothing. */
    static Kept nothing() {
      return new Kept(new MemoryDisk(), new MemoryStore(), new MemoryTables());
    }

    /** What the next process finds. */
    Kept afterDeath(boolean losesPower) {
      return new Kept(disk.afterDeath(losesPower), store.afterDeath(), rows.afterDeath());
    }
  }

  /**
   * Recovers from {@code kept}.
   *
   * @param later runs tasks of the control thread and of readers
   */
  MemoryEngine(Kept kept, MovedClock clock, Executor later) throws IOException {
    this.kept = kept;
    this.clock = clock;
    TunnelCatalog catalog = new TunnelCatalog(new Catalog(kept.store()));
    Catalog tables = catalog.tables();
    shards =
        new MemoryShards(
            LocalLog.open(kept.disk(), 0, SEGMENT_BYTES_MAX),
            kept.rows(),
            OwnCatalog.of(tables, catalog.rowSessions()::owner, 0),
            new Committed(clock),
            clock);
    Incarnations incarnations =
        tables.beginIncarnation(
            shards.all()::committed, TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
    bases =
        new BaseSnapshots(
            tables,
            shards.all(),
            shards.all(),
            later,
            clock,
            BaseSnapshots.Limits.ofAge(SNAPSHOT_MS_MAX));
    rooms =
        new LocalRooms(
            new LocalRooms.Kept(catalog, shards.all(), bases, OwnLevel.newest()),
            incarnations,
            ChannelGrants.of(GRANTS_KEY),
            new SessionConfig(REVOKE_DEADLINE_MS, DELIVERY_BYTES_MAX),
            EXPIRED_ROWS_PER_SECOND_MAX,
            new Ports.Threads(later, later, clock));
    served = new Served(rooms.ports(), DELIVERY_BYTES_MAX, RationConfig.DEFAULT);
    front = new MemoryFront(served);
  }

  /** Each commit has a time of its own. */
  private record Committed(MovedClock clock) implements Shard.Meter {
    @Override
    public void committed(int shard, long rows, long bytes, long commitNanos) {
      clock.committed();
    }

    @Override
    public void folded(int shard, long foldNanos) {}

    @Override
    public void rejected(int shard, long rows) {}

    @Override
    public void trimmed(int shard, long changes, long segments, long bytes) {}
  }

  /** The handler of a new connection. */
  ChannelHandler front() {
    return front;
  }

  /** Does what waits for the shard; returns whether anything did. */
  boolean run() {
    return shards.run();
  }

  /** Looks at leases, deadlines, ends and expired rows. */
  void tick() {
    rooms.coordinator().tick();
    bases.tick();
    served.tick();
    rooms.rowSessions().tick();
    rooms.logs().expire(clock.nanos());
  }

  /** What the next process finds when this one dies now. */
  Kept afterDeath(boolean losesPower) {
    return kept.afterDeath(losesPower);
  }
}
