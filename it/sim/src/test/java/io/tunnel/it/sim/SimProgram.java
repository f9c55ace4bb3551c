package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.it.sim.truth.WrittenTruth;
import io.tunnel.it.sim.watch.ClientHome;
import io.tunnel.model.Durability;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.SimTables;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.transport.SimPorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Programs that write to a table through the SDK. Each has a client with two writers, one for each
 * durability; so the programs have more writers than the server keeps. A program is killed now and
 * then, and starts again with a new client.
 */
public final class SimProgram {

  private static final int KILLED_ONE_IN = 150;
  private static final int PAUSED_ONE_IN = 100;
  private static final int REPLACED_ONE_IN = 40;

  private final Home home;
  private final String table;
  private final List<Integer> partitions;
  private final SplittableRandom random;
  private final AnyRows rows;
  private final List<Instance> instances = new ArrayList<>();

  /** The world of a program. */
  public interface Home extends ClientHome {

    /** What programs are told of their rows. */
    WrittenTruth written();

    /** Whether batches may be atomic and ask for columns. */
    boolean hasAllFeatures();

    /** A program was killed. */
    void killed();
  }

  /** Some programs that write to the partitions of a table. */
  public SimProgram(
      Home home, SplittableRandom random, String table, List<Integer> partitions, int programs) {
    this(home, random, "writer", table, partitions, programs);
  }

  /** Some programs of a principal. */
  SimProgram(
      Home home,
      SplittableRandom random,
      String principal,
      String table,
      List<Integer> partitions,
      int programs) {
    this.home = home;
    this.random = random;
    this.table = table;
    this.partitions = List.copyOf(partitions);
    this.rows = new AnyRows(random.split(), home.hasAllFeatures());
    for (int i = 0; i < programs; i++) {
      instances.add(new Instance(principal + "." + table + "." + i));
    }
  }

  /** Writes some rows to any partition. */
  public void writeAnywhere(int count) {
    write(random.nextInt(partitions.size()), count, Durability.FSYNC);
  }

  /** Lets any program write some rows to a partition, by its place in the table. */
  void write(int place, int count, Durability durability) {
    instances.get(random.nextInt(instances.size())).write(place, count, durability);
  }

  /** Every row has an outcome, but for rows of programs that were killed. */
  public boolean isDone() {
    return instances.stream().allMatch(Instance::isDone);
  }

  /** One of the programs, from start to start. */
  private final class Instance {
    private final String name;
    private SimProcess process;
    private SimThread thread;
    private TableClient client;
    private ClientConfig config;
    private Writer synced;
    private Writer unsynced;

    Instance(String name) {
      this.name = name;
      begin();
    }

    private void begin() {
      process = home.process(name);
      thread = process.thread("program");
      SimNetwork network = home.network();
      Optional<AccessKey> key =
          network.isClosed() ? Optional.of(network.keys().of(name)) : Optional.empty();
      config = anyConfig(key.map(ClientSecurity.NONE::withKey).orElse(ClientSecurity.NONE));
      client = SimTables.over(config, SimPorts.of(network, process, key));
      synced = new Writer(this, Durability.FSYNC);
      unsynced = new Writer(this, Durability.OS);
    }

    private ClientConfig anyConfig(ClientSecurity security) {
      return ClientConfig.of(home.endpoints())
          .withConnectDeadline(anyMs(500, 3_000))
          .withRequestDeadline(anyMs(300, random.nextInt(3) == 0 ? 5_000 : 1_000))
          .withRetryDeadline(anyMs(500, 8_000))
          .withWriteRetryDeadline(anyMs(500, random.nextBoolean() ? 3_000 : 20_000))
          .withSecurity(security);
    }

    void write(int place, int count, Durability durability) {
      if (random.nextInt(KILLED_ONE_IN) == 0) {
        restart();
      } else if (random.nextInt(PAUSED_ONE_IN) == 0) {
        process.pause(TimeUnit.MILLISECONDS.toNanos(random.nextInt(6_000)));
      } else if (random.nextInt(REPLACED_ONE_IN) == 0) {
        synced = new Writer(this, Durability.FSYNC);
      }
      (durability == Durability.FSYNC ? synced : unsynced).write(place, count);
    }

    /** The process ends, whatever is under way, and the program starts again. */
    void restart() {
      home.trace().add(name + " is killed");
      home.killed();
      home.end(process);
      begin();
    }

    boolean isDone() {
      return synced.isDone() && unsynced.isDone();
    }
  }

  private Duration anyMs(int from, int to) {
    return Duration.ofMillis(from + random.nextInt(to - from));
  }

  /** A writer that is opened with its first rows, and again when that failed. */
  private final class Writer {
    private final Instance owner;
    private final Durability durability;
    private final WrittenTruth.Writer truth;
    private Optional<TableWriter> writer = Optional.empty();
    private boolean isOpening;

    Writer(Instance owner, Durability durability) {
      this.owner = owner;
      this.durability = durability;
      this.truth =
          home.written()
              .writer(durability == Durability.FSYNC, owner.config.requestDeadline().toNanos());
    }

    void write(int place, int count) {
      AnyRows.Style style = rows.anyStyle();
      boolean isAtomic = count > 1 && random.nextInt(6) == 0 && home.hasAllFeatures();
      boolean isHurried = random.nextBoolean();
      owner.thread.execute(
          () -> {
            if (writer.isEmpty()) {
              open();
              return;
            }
            if (isAtomic) {
              addAtomically(writer.get(), place, count);
            } else {
              add(writer.get(), place, count, style);
            }
            if (isHurried) {
              writer.get().hurry();
            }
          });
    }

    private void open() {
      if (isOpening) {
        return;
      }
      isOpening = true;
      TableWriterConfig how =
          TableWriterConfig.DEFAULTS
              .withBatchBytesMax(100 + random.nextInt(500))
              .withLinger(Duration.ofMillis(random.nextInt(50)))
              .withDurability(durability);
      var unused =
          SimTables.openWriter(owner.client, table, how)
              .whenComplete(
                  (opened, failure) -> {
                    isOpening = false;
                    writer = Optional.ofNullable(opened);
                  });
    }

    private void add(TableWriter to, int place, int count, AnyRows.Style style) {
      for (int i = 0; i < count; i++) {
        RowChange change = rows.change(place, style, truth.nextValue());
        WrittenTruth.Row row = truth.added(partitions.get(place), change);
        to.add(change, (added, result) -> ended(row, result));
      }
    }

    private void addAtomically(TableWriter to, int place, int count) {
      AnyRows.Style style = new AnyRows.Style(random.nextInt(3) == 0, false);
      List<RowChange> changes = new ArrayList<>();
      List<WrittenTruth.Row> added = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        changes.add(rows.change(place, style, truth.nextValue()));
        added.add(truth.added(partitions.get(place), changes.get(i)));
      }
      var unused =
          to.addAtomically(changes)
              .thenAccept(
                  result -> {
                    for (int i = 0; i < count; i++) {
                      ended(added.get(i), result.results().get(i));
                    }
                  });
    }

    private void ended(WrittenTruth.Row row, RowResult result) {
      home.watch(() -> row.ended(result));
    }

    boolean isDone() {
      return truth.open() == 0;
    }
  }
}
