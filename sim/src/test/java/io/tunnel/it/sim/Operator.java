package io.tunnel.it.sim;

import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.OperatorControl.ChannelSelection;
import io.tunnel.wire.OperatorControl.EndSession;
import io.tunnel.wire.OperatorControl.Seek;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Somebody at a terminal: what it asks for may be lost, like everything. */
final class Operator {

  static final String TABLE = "orders";

  private final World world;
  private final SimClient client;
  private int lastTunnel;

  Operator(World world) {
    this.world = world;
    this.client = new SimClient(world.network, world.process("operator"));
  }

  /** Creates the table; nothing goes wrong meanwhile. */
  TableDescription createTable(int partitions) {
    List<PrimaryKeyValue> splits = new ArrayList<>();
    for (long i = 1; i < partitions; i++) {
      splits.add(PrimaryKeyValue.fromLong(i * SimWriter.IDS_PER_PARTITION));
    }
    Control request = new Control.CreateTable(new TableMeta(TABLE, RowFold.SCHEMA), splits);
    CompletableFuture<Frame> answer = client.request(Operation.CREATE_TABLE, Json.encode(request));
    while (!answer.isDone()) {
      world.run(10);
    }
    return Json.decode(answer.join().payload(), TableDescription.class);
  }

  private void ask(Operation operation, Control request) {
    var unused = client.request(operation, Json.encode(request));
  }

  void create(TunnelType type, StreamStart start, Optional<Long> startMs, Optional<Long> endMs) {
    String name = "tunnel-" + ++lastTunnel;
    Control.CreateTunnel request =
        new Control.CreateTunnel(TABLE, name, type, start, startMs, endMs);
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
    ask(Operation.DELETE_TUNNEL, new Control.TunnelName(TABLE, tunnel.tunnel()));
  }

  void pause(TunnelInfo tunnel, List<String> channels) {
    world.trace.add("operator pauses " + tunnel.tunnel() + " " + channels);
    ask(Operation.PAUSE, new ChannelSelection(TABLE, tunnel.tunnel(), channels));
  }

  void resume(TunnelInfo tunnel, List<String> channels) {
    world.trace.add("operator resumes " + tunnel.tunnel() + " " + channels);
    ask(Operation.RESUME, new ChannelSelection(TABLE, tunnel.tunnel(), channels));
  }

  void endSession(TunnelInfo tunnel, String sessionId) {
    world.trace.add("operator ends session " + sessionId);
    ask(Operation.END_SESSION, new EndSession(TABLE, tunnel.tunnel(), sessionId));
  }

  /** Moves one stream channel to a position, or all to an edge. */
  void seek(
      TunnelInfo tunnel, List<String> channels, Optional<StreamStart> edge, Optional<Long> to) {
    world.trace.add("operator seeks " + tunnel.tunnel() + " " + channels + " " + edge + to);
    ask(
        Operation.SEEK,
        new Seek(
            TABLE, tunnel.tunnel(), channels, edge, Optional.empty(), to, Optional.empty(), false));
  }
}
