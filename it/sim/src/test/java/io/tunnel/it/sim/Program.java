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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A program that writes to a table through the SDK: one client with two writers, one for each
 * durability. A killed program starts again with a new client.
 */
final class Program {

  private final Home home;
  private final String name;
  private final String table;
  private final Kind kind;
  private SimProcess process;
  private SimThread thread;
  private Optional<AccessKey> key;
  private TableClient client;
  private ClientConfig config;
  private Writer synced;
  private Writer unsynced;

  /** The world of a program. */
  interface Home extends ClientHome {

    /** What programs are told of their rows. */
    WrittenTruth written();

    /** Whether batches may be atomic and ask for columns. */
    boolean hasAllFeatures();

    /** A program was killed. */
    void killed();
  }

  /** How the clients and writers of a program are configured, by chance. */
  interface Kind {

    /** {@code base} with deadlines. */
    ClientConfig client(ClientConfig base);

    /** A writer's configuration, without its durability. */
    TableWriterConfig writer();
  }

  /** The program runs from now on. */
  Program(Home home, String name, String table, Kind kind) {
    this.home = home;
    this.name = name;
    this.table = table;
    this.kind = kind;
    begin();
  }

  private void begin() {
    process = home.process(name);
    thread = process.thread("program");
    SimNetwork network = home.network();
    key = network.isClosed() ? Optional.of(network.keys().of(name)) : Optional.empty();
    config =
        kind.client(
            ClientConfig.of(home.endpoints())
                .withSecurity(key.map(ClientSecurity.NONE::withKey).orElse(ClientSecurity.NONE)));
    client = SimTables.over(config, SimPorts.of(network, process, key));
    synced = new Writer(Durability.FSYNC);
    unsynced = new Writer(Durability.OS);
  }

  /** The process ends, whatever is under way, and the program starts again. */
  void restart() {
    home.trace().add(name + " is killed");
    home.killed();
    home.end(process);
    begin();
  }

  /** Nothing of the program runs for a while. */
  void pause(long nanos) {
    process.pause(nanos);
  }

  /** Uses a new writer for rows that are synced; the writer before ends its rows by itself. */
  void replaceSynced() {
    synced = new Writer(Durability.FSYNC);
  }

  /** Whether the program's key has been replaced since the program started. */
  boolean hasFormerKey() {
    return key.filter(mine -> !mine.equals(home.network().keys().newest(name))).isPresent();
  }

  Writer writer(Durability durability) {
    return durability == Durability.FSYNC ? synced : unsynced;
  }

  /** Every row of the writers in use has an outcome. */
  boolean isDone() {
    return synced.isDone() && unsynced.isDone();
  }

  /**
   * The rows of one call.
   *
   * @param changes is asked when the writer takes the rows, for the change under each value
   * @param isHurried whether the rows wait for no others
   */
  record Rows(
      int partition,
      int count,
      boolean isAtomic,
      boolean isHurried,
      Supplier<LongFunction<RowChange>> changes) {}

  /** A writer that is opened with its first rows, and again when that failed. */
  final class Writer {
    private final Durability durability;
    private final WrittenTruth.Writer truth;
    private Optional<TableWriter> writer = Optional.empty();
    private boolean isOpening;

    private Writer(Durability durability) {
      this.durability = durability;
      this.truth =
          home.written().writer(durability == Durability.FSYNC, config.requestDeadline().toNanos());
    }

    /** Adds the rows on the program's thread; {@code ended} is told what became of each. */
    void write(Rows rows, BiConsumer<RowChange, RowResult> ended) {
      thread.execute(
          () -> {
            if (writer.isEmpty()) {
              open();
            } else if (rows.isAtomic()) {
              addAtomically(writer.get(), rows, ended);
            } else {
              add(writer.get(), rows, ended);
            }
          });
    }

    private void open() {
      if (isOpening) {
        return;
      }
      isOpening = true;
      var unused =
          SimTables.openWriter(client, table, kind.writer().withDurability(durability))
              .whenComplete(
                  (opened, failure) -> {
                    isOpening = false;
                    writer = Optional.ofNullable(opened);
                  });
    }

    private void add(TableWriter to, Rows rows, BiConsumer<RowChange, RowResult> ended) {
      LongFunction<RowChange> changes = rows.changes().get();
      for (int i = 0; i < rows.count(); i++) {
        RowChange change = changes.apply(truth.nextValue());
        WrittenTruth.Row row = truth.added(rows.partition(), change);
        to.add(change, (added, result) -> ended(row, change, result, ended));
      }
      if (rows.isHurried()) {
        to.hurry();
      }
    }

    private void addAtomically(TableWriter to, Rows rows, BiConsumer<RowChange, RowResult> ended) {
      LongFunction<RowChange> changes = rows.changes().get();
      List<RowChange> all = new ArrayList<>();
      List<WrittenTruth.Row> added = new ArrayList<>();
      for (int i = 0; i < rows.count(); i++) {
        all.add(changes.apply(truth.nextValue()));
        added.add(truth.added(rows.partition(), all.get(i)));
      }
      var unused =
          to.addAtomically(all)
              .thenAccept(
                  result -> {
                    for (int i = 0; i < added.size(); i++) {
                      ended(added.get(i), all.get(i), result.results().get(i), ended);
                    }
                  });
      if (rows.isHurried()) {
        to.hurry();
      }
    }

    private void ended(
        WrittenTruth.Row row,
        RowChange change,
        RowResult result,
        BiConsumer<RowChange, RowResult> ended) {
      home.watch(() -> row.ended(result));
      ended.accept(change, result);
    }

    private boolean isDone() {
      return truth.open() == 0;
    }
  }
}
