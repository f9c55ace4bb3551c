package io.tunnel.server.partition;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

/** A shard that a simulation drives, over any log that a shard may have, on the test's thread. */
abstract class TestShard {

  private static final TableStoreConfig TABLE = new TableStoreConfig(1 << 20, 1 << 20, 1);

  /** The logs that a shard may have. */
  enum LogKind {
    /** A log of its own. */
    OWN,
    /** A log that settles groups late. */
    LATE,
    /** A log that two nodes share; a crash moves the partitions to the other node. */
    SHARED;

    static LogKind of(long seed) {
      return values()[(int) (seed % values().length)];
    }
  }

  /**
   * What is around a shard.
   *
   * @param auto see {@link Refold}
   * @param owners see {@link Refold}
   */
  record World(
      ShardConfig config,
      IntFunction<Optional<AutoNumbers>> auto,
      LongFunction<Optional<String>> owners,
      Shard.Meter meter,
      Shard.Clock clock) {

    /** Without AUTO columns and sessions. */
    static World of(ShardConfig config, Shard.Meter meter, Shard.Clock clock) {
      return new World(config, id -> Optional.empty(), id -> Optional.empty(), meter, clock);
    }
  }

  /**
   * Opens the table in {@code directory}, and folds what {@code log} has and the table has not.
   *
   * @param places how far the table has a log that nodes share
   */
  static StoredRows rows(
      World world, LocalLog log, Path directory, Function<TableStore, SeenPlaces> places)
      throws IOException {
    TableStore table = TableStore.openUncompacted(directory, TABLE, log::sync, Expiries.NONE);
    Refold refold =
        new Refold(
            table,
            partition -> true,
            world.auto(),
            world.owners(),
            WriterLimits.DEFAULT.of(1),
            places.apply(table));
    new CatchUp(log, table, refold).fold();
    return new StoredRows(table, refold.seen(), partition -> true, Expiries.NONE);
  }

  /** Opens a shard whose log and table are empty. */
  static TestShard open(LogKind kind, Path directory, SplittableRandom random, World world)
      throws IOException {
    return kind == LogKind.SHARED
        ? new Shared(directory, random, world)
        : new Own(kind == LogKind.LATE, directory, random, world);
  }

  /** The shard that takes writes now. */
  abstract Shard now();

  /** Does one thing; false when nothing waits. */
  abstract boolean step() throws IOException;

  /** A crash, after which everything that was answered is there. */
  abstract void crash() throws IOException;

  /** Closes all files. */
  abstract void close() throws IOException;

  private static final class Own extends TestShard {
    private final boolean isLate;
    private final Path directory;
    private final SplittableRandom random;
    private final World world;
    private CrashDisk disk = new CrashDisk();
    private Optional<LateShardLog> late = Optional.empty();
    private int stores;
    private Shard shard;

    Own(boolean isLate, Path directory, SplittableRandom random, World world) throws IOException {
      this.isLate = isLate;
      this.directory = directory;
      this.random = random;
      this.world = world;
      this.shard = begin();
    }

    private Shard begin() throws IOException {
      LocalLog log = TestLogs.open(disk, 0);
      StoredRows stored =
          rows(world, log, directory.resolve("rows-" + stores), table -> SeenPlaces.NONE);
      late = isLate ? Optional.of(new LateShardLog(log, random.split(), 0)) : Optional.empty();
      ShardLog of = isLate ? late.get() : new LocalShardLog(log);
      return new Shard(0, world.config(), of, stored, world.meter(), world.clock());
    }

    @Override
    Shard now() {
      return shard;
    }

    @Override
    boolean step() throws IOException {
      boolean did = shard.step();
      if (late.isPresent() && (!did || random.nextBoolean())) {
        did |= late.get().settleSome();
      }
      return did;
    }

    /** Two of three crashes leave the table. */
    @Override
    void crash() throws IOException {
      shard.close();
      disk = disk.crash(new Random(random.nextLong()));
      stores += random.nextInt(3) == 0 ? 1 : 0;
      shard = begin();
    }

    @Override
    void close() throws IOException {
      shard.close();
    }
  }

  private static final class Shared extends TestShard {
    private final SplittableRandom random;
    private final SharedNodes nodes;
    private int leader;

    Shared(Path directory, SplittableRandom random, World world) throws IOException {
      this.random = random;
      this.nodes = new SharedNodes(directory, random, 2, world);
      lead();
    }

    private void lead() throws IOException {
      for (int partition = 1; partition <= SharedNodes.PARTITIONS; partition++) {
        nodes.get(1 - leader).want(partition, false);
        nodes.get(leader).want(partition, true);
      }
      nodes.pass(10_000);
      nodes.get(1 - leader).catchUp();
      nodes.get(leader).catchUp();
      nodes.get(leader).claim();
      while (step()) {
        // Until the claims are read.
      }
    }

    @Override
    Shard now() {
      return nodes.get(leader).shard();
    }

    @Override
    boolean step() throws IOException {
      boolean did = now().step();
      if (!did || random.nextBoolean()) {
        did |= !nodes.logs().isIdle() || !nodes.get(leader).isCaughtUp();
        nodes.logs().land(true);
        nodes.get(leader).read();
      }
      if (random.nextInt(8) == 0) {
        nodes.get(1 - leader).step();
      }
      return did;
    }

    @Override
    void crash() throws IOException {
      leader = random.nextInt(2);
      int crashed = random.nextInt(3);
      if (crashed < 2) {
        nodes.crash(crashed);
      }
      lead();
    }

    @Override
    void close() throws IOException {
      nodes.get(0).shard().close();
      nodes.get(1).shard().close();
    }
  }
}
