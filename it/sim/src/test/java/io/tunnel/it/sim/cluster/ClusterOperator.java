package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.AnyRows;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.Seek;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** Somebody who makes tables and tunnels, moves them, and lets stopped channels go on. */
final class ClusterOperator {

  static final String TABLE = "orders";

  static final long LOOK_MS = 250;
  private static final long SETUP_MS_MAX = 60_000;

  private final ClusterWorld world;
  private final SplittableRandom random;
  private final ClusterClient client;
  private final List<CompletableFuture<Frame>> creations = new ArrayList<>();

  /** Chance says what tunnels are like. */
  ClusterOperator(ClusterWorld world, SplittableRandom random) {
    this.world = world;
    this.random = random;
    this.client = new ClusterClient(world, "operator");
  }

  /** Asks for something until it is done, and lets time pass until then. */
  private Frame await(Operation operation, Control request) {
    CompletableFuture<Frame> answer = client.askAll(operation, request);
    await(answer, operation);
    return answer.join();
  }

  /** Creates a table, and lets time pass until the table is there. */
  TableDescription createTable(TableMeta table, int partitions) {
    List<PrimaryKeyValue> splits = new ArrayList<>();
    for (long i = 1; i < partitions; i++) {
      splits.add(PrimaryKeyValue.fromLong(i * AnyRows.IDS_PER_PARTITION));
    }
    Frame answer = await(Operation.CREATE_TABLE, new Control.CreateTable(table, splits));
    return Json.decode(answer.payload(), TableDescription.class);
  }

  /** Raises the level with the key of an administrator, and lets time pass until that is done. */
  void raise(int level) {
    Control request = new ClusterControl.Upgrade(Optional.of(level));
    await(
        new ClusterClient(world, "upgrader").askAll(Operation.UPGRADE, request), Operation.UPGRADE);
  }

  private void await(CompletableFuture<Frame> answer, Operation operation) {
    for (long waited = 0; !answer.isDone(); waited += LOOK_MS) {
      Invariant.LIVENESS.require(
          waited < SETUP_MS_MAX, "%s is not done after %d ms", operation, waited);
      world.run(LOOK_MS);
    }
  }

  /**
   * Asked for again after a lost answer it may be there already; so what is stored is looked at.
   */
  CompletableFuture<Frame> createTunnel() {
    TunnelType type =
        switch (random.nextInt(6)) {
          case 0 -> TunnelType.BaseData;
          case 1, 2 -> TunnelType.BaseAndStream;
          default -> TunnelType.Stream;
        };
    boolean isLate = type == TunnelType.Stream && !creations.isEmpty() && random.nextBoolean();
    Control request =
        new Control.CreateTunnel(
            TABLE,
            "tunnel-" + (creations.size() + 1),
            type,
            isLate ? StreamStart.LATEST : StreamStart.EARLIEST,
            Optional.empty(),
            Optional.empty());
    creations.add(client.askAll(Operation.CREATE_TUNNEL, request));
    return creations.get(creations.size() - 1);
  }

  /** How many tunnels were asked for. */
  int creations() {
    return creations.size();
  }

  /** Lets time pass until all tunnels are there that were asked for. */
  void awaitCreations() {
    creations.forEach(creation -> await(creation, Operation.CREATE_TUNNEL));
  }

  /** The tunnels that are stored. */
  List<TunnelInfo> tunnels() {
    return world.tunnels();
  }

  /** Moves a tunnel back to where its changes begin. */
  void seek(TunnelInfo tunnel) {
    world.count(ClusterHappening.SOUGHT);
    world.truth.sought(tunnel.tunnelId());
    world.trace.add("operator seeks " + tunnel.tunnel());
    var unused =
        client.askAll(
            Operation.SEEK,
            new Seek(
                TABLE,
                tunnel.tunnel(),
                List.of(),
                Optional.of(StreamStart.EARLIEST),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false));
  }

  /** Stopped channels go on; channels that lost changes are moved to the oldest kept change. */
  void mend() {
    for (TunnelInfo tunnel : tunnels()) {
      List<String> stopped = new ArrayList<>();
      boolean isLost = false;
      String prefix = "channel/" + tunnel.tunnelId() + "/";
      for (Map.Entry<String, String> text :
          world.stores.unit(world.tunnelsUnit()).texts.tailMap(prefix).entrySet()) {
        if (text.getKey().startsWith(prefix) && text.getValue().contains("\"error\"")) {
          stopped.add(ClusterTruth.id(text.getKey()));
          isLost |= text.getValue().contains("HISTORY_LOST");
        }
      }
      if (isLost) {
        world.count(ClusterHappening.HISTORY_LOST);
        seek(tunnel);
        world.run(2_000);
      }
      if (!stopped.isEmpty()) {
        world.trace.add("stopped: " + world.stores.unit(world.tunnelsUnit()).texts.tailMap(prefix));
        world.count(ClusterHappening.RESUMED);
        var unused =
            client.askAll(Operation.RESUME, new ChannelSelection(TABLE, tunnel.tunnel(), stopped));
      }
    }
  }
}
