package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** An operator at a terminal, whose requests may be lost. */
final class Operator {

  static final String TABLE = "orders";

  private final World world;
  private final SimClient client;
  private int lastTunnel;

  Operator(World world) {
    this.world = world;
    this.client = new SimClient(world.network, world.process("operator"));
  }

  private CompletableFuture<Frame> askForTable(TableMeta table, int partitions) {
    List<PrimaryKeyValue> splits = new ArrayList<>();
    for (long i = 1; i < partitions; i++) {
      splits.add(PrimaryKeyValue.fromLong(i * AnyRows.IDS_PER_PARTITION));
    }
    Control request = new Control.CreateTable(table, splits);
    return client.request(Operation.CREATE_TABLE, Json.encode(request));
  }

  /** Creates the first table; nothing goes wrong meanwhile. */
  TableDescription createTable(TableOptions options, int partitions) {
    return createTable(new TableMeta(TABLE, RowFold.SCHEMA, options), partitions);
  }

  /** Creates a table of any key; nothing goes wrong meanwhile. */
  TableDescription createTable(TableMeta table, int partitions) {
    CompletableFuture<Frame> answer = askForTable(table, partitions);
    while (!answer.isDone()) {
      world.run(10);
    }
    return Json.decode(answer.join().payload(), TableDescription.class);
  }

  /** Creates another table. */
  void createTable(
      String name, TableOptions options, int partitions, Consumer<TableDescription> whenCreated) {
    world.trace.add("operator creates table " + name);
    var unused =
        askForTable(new TableMeta(name, RowFold.SCHEMA, options), partitions)
            .thenAccept(
                answer ->
                    whenCreated.accept(Json.decode(answer.payload(), TableDescription.class)));
  }

  /** Drops a table. */
  void drop(String table) {
    world.trace.add("operator drops " + table);
    ask(Operation.DROP_TABLE, new Control.TableName(table));
  }

  /** Gives a table other options. */
  void alter(String table, OptionsChange change) {
    world.trace.add("operator alters " + table + " to " + change);
    ask(Operation.ALTER_TABLE, new AlterTable(table, change));
  }

  private void ask(Operation operation, Control request) {
    var unused = client.request(operation, Json.encode(request));
  }

  void create(TunnelType type, StreamStart start, Optional<Long> startMs, Optional<Long> endMs) {
    create(TABLE, type, start, startMs, endMs);
  }

  /** Creates a tunnel of any table. */
  void create(
      String table,
      TunnelType type,
      StreamStart start,
      Optional<Long> startMs,
      Optional<Long> endMs) {
    String name = "tunnel-" + ++lastTunnel;
    Control.CreateTunnel request =
        new Control.CreateTunnel(table, name, type, start, startMs, endMs);
    world.trace.add("operator creates " + type + " " + name);
    var unused =
        client
            .request(Operation.CREATE_TUNNEL, Json.encode(request))
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    created(Json.decode(answer.payload(), TunnelInfo.class));
                  }
                });
  }

  private void created(TunnelInfo tunnel) {
    world.count(Happening.TUNNEL_CREATED);
    world.count(
        switch (tunnel.type()) {
          case BaseData -> Happening.TUNNEL_OF_BASE_DATA;
          case Stream -> Happening.TUNNEL_OF_STREAM;
          case BaseAndStream -> Happening.TUNNEL_OF_BOTH;
        });
    if (tunnel.endMs().isPresent()) {
      world.count(Happening.TUNNEL_WITH_END);
    }
  }

  void delete(TunnelInfo tunnel) {
    world.trace.add("operator deletes " + tunnel.tunnel());
    world.count(Happening.TUNNEL_DELETED);
    ask(Operation.DELETE_TUNNEL, new Control.TunnelName(tunnel.table(), tunnel.tunnel()));
  }

  void pause(TunnelInfo tunnel, List<String> channels) {
    world.trace.add("operator pauses " + tunnel.tunnel() + " " + channels);
    ask(Operation.PAUSE, new ChannelSelection(tunnel.table(), tunnel.tunnel(), channels));
  }

  void resume(TunnelInfo tunnel, List<String> channels) {
    world.trace.add("operator resumes " + tunnel.tunnel() + " " + channels);
    ask(Operation.RESUME, new ChannelSelection(tunnel.table(), tunnel.tunnel(), channels));
  }

  void endSession(TunnelInfo tunnel, String sessionId) {
    world.trace.add("operator ends session " + sessionId);
    ask(Operation.END_SESSION, new EndSession(tunnel.table(), tunnel.tunnel(), sessionId));
  }

  /** Moves one stream channel to a position, or all to an edge. */
  void seek(
      TunnelInfo tunnel, List<String> channels, Optional<StreamStart> edge, Optional<Long> to) {
    world.trace.add("operator seeks " + tunnel.tunnel() + " " + channels + " " + edge + to);
    ask(
        Operation.SEEK,
        new Seek(
            tunnel.table(),
            tunnel.tunnel(),
            channels,
            edge,
            Optional.empty(),
            to,
            Optional.empty(),
            false));
  }

  /** Asks how far a tunnel is. */
  void export(TunnelInfo tunnel, Consumer<CheckpointSet> whenExported) {
    world.trace.add("operator exports " + tunnel.tunnel());
    Control request = new Control.TunnelName(tunnel.table(), tunnel.tunnel());
    var unused =
        client
            .request(Operation.EXPORT_CHECKPOINTS, Json.encode(request))
            .thenAccept(
                answer -> whenExported.accept(Json.decode(answer.payload(), CheckpointSet.class)));
  }

  /** Moves a tunnel to exported checkpoints. */
  void bringBack(TunnelInfo tunnel, CheckpointSet checkpoints) {
    world.trace.add("operator brings " + checkpoints + " to " + tunnel.tunnel());
    ask(
        Operation.SEEK,
        new Seek(
            tunnel.table(),
            tunnel.tunnel(),
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(checkpoints),
            false));
  }
}
