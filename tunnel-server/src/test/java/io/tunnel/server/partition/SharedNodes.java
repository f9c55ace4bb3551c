package io.tunnel.server.partition;

import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.replica.append.SimAppendLogs;
import io.tunnel.server.replica.append.SimNode;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Nodes that share logs of appends: real shards, local logs and tables, on the test's thread. */
final class SharedNodes {

  static final int PARTITIONS = 2;

  private final Path directory;
  private final SplittableRandom random;
  private final TestShard.World world;
  private final SimAppendLogs logs;
  private final List<Node> nodes = new ArrayList<>();
  private int stores;
  private long nowMs = 1_790_000_000_000L;
  private long looks;

  /** The clock of the nodes and of the logs. */
  private final Shard.Clock clock =
      new Shard.Clock() {
        @Override
        public long epochMicros() {
          return TimeUnit.MILLISECONDS.toMicros(nowMs);
        }

        @Override
        public long nanos() {
          // No two questions at one time.
          return TimeUnit.MILLISECONDS.toNanos(nowMs) + looks++;
        }
      };

  SharedNodes(Path directory, SplittableRandom random, int count, TestShard.World world)
      throws IOException {
    this.directory = directory;
    this.random = random;
    this.world = world;
    this.logs = new SimAppendLogs(random.split(), () -> nowMs);
    for (int id = 0; id < count; id++) {
      nodes.add(new Node(id, new CrashDisk(), ++stores));
    }
  }

  SimAppendLogs logs() {
    return logs;
  }

  List<Node> all() {
    return nodes;
  }

  Node get(int id) {
    return nodes.get(id);
  }

  /** Time passes. */
  void pass(long ms) {
    nowMs += ms;
  }

  /**
   * A node is killed, loses power, its table, or all of its disk, and starts again. Nobody hears of
   * the writes that it had.
   */
  void crash(int id) throws IOException {
    logs.crashed(id);
    nodes.set(id, nodes.get(id).again());
  }

  /** A node begins anew, with an empty disk. Its writes are never answered. */
  void beginAnew(int id) throws IOException {
    logs.crashed(id);
    nodes.get(id).table.close();
    nodes.set(id, new Node(id, new CrashDisk(), ++stores));
  }

  /** A node that lives. */
  final class Node {
    private final int id;
    private final CrashDisk disk;
    private final int store;
    private final TableStore table;
    private final SimNode replicas;
    private final Shard shard;

    /** Starts with what the disk and the table have. */
    private Node(int id, CrashDisk disk, int store) throws IOException {
      this.id = id;
      this.disk = disk;
      this.store = store;
      LocalLog own = TestLogs.open(disk, 0);
      StoredRows stored =
          TestShard.rows(
              world,
              own,
              directory.resolve("rows-" + store),
              opened -> SimNode.places(opened.states()));
      table = stored.store();
      Shard[] made = new Shard[1];
      replicas =
          new SimNode(
              id,
              logs,
              PARTITIONS,
              own,
              stored.seen().places(),
              new SimNode.Around(action -> made[0].execute(Set.of(), action), clock));
      shard = new Shard(0, world.config(), replicas.log(), stored, world.meter(), world.clock());
      made[0] = shard;
    }

    private Node again() throws IOException {
      // Whatever was folded is on the disk; the rest is lost with the memory.
      table.close();
      return switch (random.nextInt(4)) {
        case 0 -> new Node(id, new CrashDisk(), ++stores);
        case 1 -> new Node(id, disk.kill(), store);
        case 2 -> new Node(id, disk.crash(new Random(random.nextLong())), store);
        default -> {
          // The table can be made again from a local log that has everything.
          CrashDisk left = disk.kill();
          boolean isWhole = TestLogs.open(left, 0).isWhole();
          yield new Node(id, isWhole ? left.kill() : new CrashDisk(), ++stores);
        }
      };
    }

    CrashDisk disk() {
      return disk;
    }

    Shard shard() {
      return shard;
    }

    void write(PendingWrite write) {
      shard.write(write);
    }

    /** Wants to lead a partition, or no more. */
    void want(int partition, boolean toLead) {
      replicas.want(partition, toLead);
    }

    /** Claims what the node wants to lead and does not, if it is time. */
    void claim() {
      replicas.tick(nowMs);
    }

    /** Answers writes whose fate has been open for too long. */
    void expire() {
      replicas.expire();
    }

    boolean isLeading(int partition) {
      return replicas.isLeading(partition);
    }

    boolean isCaughtUp() {
      return replicas.isCaughtUp();
    }

    /** Reads some records and does some of what waits. */
    void step() {
      replicas.read(random);
      for (int steps = random.nextInt(4); steps >= 0; steps--) {
        shard.step();
      }
    }

    /** Reads all records, and does nothing with them. */
    void read() {
      while (replicas.hasUnread()) {
        replicas.read(random);
      }
    }

    /** Looks at the ends of the logs. */
    void look() {
      replicas.look();
    }

    /** The partitions of which the log lacks what the node has. */
    Set<Integer> lost() {
      return replicas.lost();
    }

    /** What the node has of the logs. */
    SimNode replicas() {
      return replicas;
    }

    /** Reads all records and does all that waits. */
    void catchUp() {
      do {
        read();
        while (shard.step()) {
          // Until nothing waits.
        }
      } while (replicas.hasUnread());
    }
  }
}
