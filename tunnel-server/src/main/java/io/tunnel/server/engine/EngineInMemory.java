package io.tunnel.server.engine;

import io.netty.channel.ChannelHandler;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.StopReason;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.cluster.OwnLevel;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.net.Front;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.SteppedShard;
import io.tunnel.server.partition.read.BaseSnapshots;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.table.MemoryTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A single server in memory: shard, log, table, catalog, sessions, channels and requests of the
 * product on the caller's one thread, over a disk in memory and a sorted map, on a clock that the
 * caller moves. Between two crashes; {@link #afterDeath} is the next process.
 *
 * <p>All methods are for that thread. After each act of a client and each method, the caller runs
 * the tasks of its executor and {@link #run} until nothing is left, and then {@link #tick}.
 */
public final class EngineInMemory {

  private static final int SEGMENT_BYTES_MAX = 64 << 20;
  private static final long REVOKE_DEADLINE_MS = 5_000;
  private static final int DELIVERY_BYTES_MAX = 256 * 1024;
  private static final int EXPIRED_ROWS_PER_SECOND_MAX = 1_000_000;
  private static final long SNAPSHOT_MS_MAX = 3_600_000;
  private static final Bytes GRANTS_KEY = Bytes.fromHex("52");

  private final Kept kept;
  private final Owner owner;
  private final TunnelCatalog catalog;
  private final SteppedShard shard;
  private final BaseSnapshots bases;
  private final LocalRooms rooms;
  private final Served served;
  private final Front front;

  /** What outlives a process, and the time, which goes on meanwhile. */
  private record Kept(MovedClock clock, MemoryDisk disk, MemoryStore store, MemoryTables rows) {

    Kept afterDeath(boolean losesPower) {
      return new Kept(clock, disk.afterDeath(losesPower), store.afterDeath(), rows.afterDeath());
    }
  }

  /**
   * The caller.
   *
   * @param later runs tasks of the control thread and of readers on the one thread, in their order
   * @param malformed receives the reason of each refusal of a payload that no client may send
   */
  public record Owner(Executor later, Consumer<String> malformed) {}

  private EngineInMemory(Kept kept, Owner owner) throws IOException {
    this.kept = kept;
    this.owner = owner;
    MovedClock clock = kept.clock();
    Executor later = owner.later();
    catalog = new TunnelCatalog(new Catalog(kept.store()));
    Catalog tables = catalog.tables();
    shard =
        new SteppedShard(
            LocalLog.open(kept.disk(), 0, SEGMENT_BYTES_MAX),
            kept.rows(),
            OwnCatalog.of(tables, catalog.rowSessions()::owner, 0),
            new Committed(clock),
            clock);
    Incarnations incarnations =
        tables.beginIncarnation(
            shard.all()::committed, TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
    bases =
        new BaseSnapshots(
            tables,
            shard.all(),
            shard.all(),
            later,
            clock,
            BaseSnapshots.Limits.ofAge(SNAPSHOT_MS_MAX));
    rooms =
        new LocalRooms(
            new LocalRooms.Kept(catalog, shard.all(), bases, OwnLevel.newest()),
            incarnations,
            ChannelGrants.of(GRANTS_KEY),
            new SessionConfig(REVOKE_DEADLINE_MS, DELIVERY_BYTES_MAX),
            EXPIRED_ROWS_PER_SECOND_MAX,
            new Ports.Threads(later, later, clock));
    served = new Served(rooms.ports(), DELIVERY_BYTES_MAX, RationConfig.DEFAULT);
    front = new Front(served.rooms(), served.threads(), owner.malformed());
  }

  /**
   * A server without tables, at 2000-01-01T00:00:00Z.
   *
   * @throws UncheckedIOException never, unless this class is wrong
   */
  public static EngineInMemory begin(Owner owner) {
    return opened(
        new Kept(new MovedClock(), new MemoryDisk(), new MemoryStore(), new MemoryTables()), owner);
  }

  private static EngineInMemory opened(Kept kept, Owner owner) {
    try {
      return new EngineInMemory(kept, owner);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The next process of the server, when this one dies now. The caller closes all connections and
   * drops the tasks that wait.
   *
   * @param losesPower whether unsynced writes are lost
   */
  public EngineInMemory afterDeath(boolean losesPower) {
    return opened(kept.afterDeath(losesPower), owner);
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

  /** The last handler of a new connection; for many connections. */
  public ChannelHandler front() {
    return front;
  }

  /** Does what waits for the shard; returns whether anything did. */
  public boolean run() {
    return shard.run();
  }

  /** Looks at leases, deadlines, ends and expired rows, as a server does every 100 ms. */
  public void tick() {
    rooms.coordinator().tick();
    bases.tick();
    served.tick();
    rooms.rowSessions().tick();
    rooms.logs().expire(kept.clock().nanos());
  }

  /** The time of the server, in microseconds since 1970. */
  public long epochMicros() {
    return kept.clock().epochMicros();
  }

  /** Moves the clock; what is due is done by {@link #tick}. */
  public void advance(Duration duration) {
    kept.clock().advance(duration);
  }

  /** Ends the deliveries of a partition, as if this server no longer led it. */
  public void lost(int partition, RefusedException reason) {
    served.lost(partition, reason);
  }

  private Operators operators() {
    return rooms.ports().tunnels().hosts().all().iterator().next().operators();
  }

  /** Ends the session of a worker as the end of its lease does; returns whether it was open. */
  public boolean expire(String sessionId) {
    return operators().expire(sessionId);
  }

  /**
   * Stops a channel as a worker does that cannot continue; a holder loses the channel untold.
   *
   * @throws RefusedException TUNNEL_NOT_FOUND
   */
  public void stop(String tunnelId, ChannelKey channel, StopReason why) {
    try {
      operators().stop(catalog.tunnel(tunnelId), channel, why);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
