package io.tunnel.it.sim;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One seed: makes a world, lets chance do to it what machines, networks and people do, stops that,
 * and waits until everything that was promised has come true.
 */
final class Simulation {

  private static final String TABLE = "orders";
  private static final long QUIET_MS_MAX = 240_000;
  private static final long LOOK_MS = 250;

  private final SplittableRandom random;
  final World world;
  private final SimClient operator;
  private SimWriter writer;
  private int lastTunnel;

  Simulation(long seed, Consumer<String> listener) {
    random = new SplittableRandom(~seed);
    world = new World(seed, listener);
    operator = new SimClient(world.network, world.process("operator"));
  }

  /** Runs it from the start to the end. */
  void run() {
    begin();
    int steps = 40 + random.nextInt(120);
    for (int i = 0; i < steps; i++) {
      act();
      world.run(random.nextInt(4) == 0 ? random.nextInt(1_500) : random.nextInt(60));
    }
    calm();
  }

  private void begin() {
    world.startServer();
    Control.TableDescription table = Json.decode(ask(Operation.CREATE_TABLE, createTable()), Control.TableDescription.class);
    List<Integer> partitions = table.partitions().stream().map(each -> each.id()).toList();
    partitions.forEach(world.ledger::partition);
    writer = new SimWriter(world, table.tableId(), partitions);
    createTunnel(StreamStart.EARLIEST);
    world.run(200);
    startWorker();
    world.behave(
        new World.Moods(
            rate(5, 50), rate(10, 200), rate(100, 2_000), rate(200, 5_000)));
  }

  private int rate(int from, int to) {
    return random.nextInt(3) == 0 ? 0 : from + random.nextInt(to - from);
  }

  private Control createTable() {
    List<PrimaryKeyValue> splits = new ArrayList<>();
    for (long i = 1; i < world.settings.partitions(); i++) {
      splits.add(PrimaryKeyValue.fromLong(i * SimWriter.IDS_PER_PARTITION));
    }
    return new Control.CreateTable(new TableMeta(TABLE, RowFold.SCHEMA), splits);
  }

  /** Asks while nothing can go wrong. */
  private byte[] ask(Operation operation, Control payload) {
    CompletableFuture<Frame> answer = operator.request(operation, Json.encode(payload));
    for (int i = 0; i < 1_000 && !answer.isDone(); i++) {
      world.run(10);
    }
    return answer.getNow(null).payload();
  }

  private void createTunnel(StreamStart start) {
    String name = "tunnel-" + ++lastTunnel;
    Control.CreateTunnel request =
        new Control.CreateTunnel(TABLE, name, TunnelType.Stream, start);
    var unused =
        operator
            .request(Operation.CREATE_TUNNEL, Json.encode(request))
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    world.tunnelIds.put(
                        name, Json.decode(answer.payload(), TunnelInfo.class).tunnelId());
                    world.count(Happening.TUNNEL_CREATED);
                  }
                });
  }

  private void deleteTunnel(String name) {
    world.tunnelIds.remove(name);
    world.count(Happening.TUNNEL_DELETED);
    var unused =
        operator.request(Operation.DELETE_TUNNEL, Json.encode(new Control.TunnelName(TABLE, name)));
  }

  private void startWorker() {
    List<String> names = List.copyOf(world.tunnelIds.keySet());
    if (!names.isEmpty()) {
      String name = names.get(random.nextInt(names.size()));
      world.startWorker(world.tunnelIds.get(name), false);
    }
  }

  private Optional<SimWorker> anyWorker() {
    List<SimWorker> workers = List.copyOf(world.workers.values());
    return workers.isEmpty()
        ? Optional.empty()
        : Optional.of(workers.get(random.nextInt(workers.size())));
  }

  private Optional<SimConnection> anyConnection() {
    List<SimConnection> open = world.network.open();
    return open.isEmpty() ? Optional.empty() : Optional.of(open.get(random.nextInt(open.size())));
  }

  private void act() {
    int dice = random.nextInt(100);
    if (!world.isUp() && dice < 50) {
      world.startServer();
    } else if (dice < 55) {
      write();
    } else if (dice < 63 && world.workers.size() < 5) {
      startWorker();
    } else if (dice < 67) {
      anyWorker().filter(each -> !each.isLeaving()).ifPresent(SimWorker::leave);
    } else if (dice < 71) {
      anyWorker().ifPresent(world::crashWorker);
    } else if (dice < 76) {
      anyWorker().ifPresent(each -> world.pauseWorker(each, random.nextInt(10_000)));
    } else if (dice < 82) {
      anyConnection().ifPresent(world::cut);
    } else if (dice < 88) {
      anyConnection().ifPresent(each -> world.stall(each, random.nextInt(8_000)));
    } else if (dice < 90) {
      world.skewClock(random.nextInt(20_000_000) - 10_000_000L);
    } else if (dice < 92 && world.tunnelIds.size() < 3) {
      createTunnel(random.nextBoolean() ? StreamStart.EARLIEST : StreamStart.LATEST);
    } else if (dice < 93 && world.tunnelIds.size() > 1) {
      deleteTunnel(world.tunnelIds.firstKey());
    } else if (dice < 96 && world.isUp()) {
      world.crashServer(random.nextBoolean());
    }
  }

  private void write() {
    int writes = 1 + random.nextInt(6);
    for (int i = 0; i < writes; i++) {
      writer.write(
          random.nextInt(world.settings.partitions()),
          1 + random.nextInt(6),
          random.nextInt(3) == 0 ? Durability.OS : Durability.FSYNC);
    }
  }

  /** Nothing goes wrong any more: soon all is done. */
  private void calm() {
    world.behave(World.Moods.CALM);
    while (!world.isUp()) {
      world.startServer();
    }
    world.run(12_000);
    world.learnTunnels();
    for (TunnelInfo tunnel : world.server().catalog().tunnels(Optional.empty())) {
      world.startWorker(tunnel.tunnelId(), true);
    }
    long waited = 0;
    while (!isDone() && waited < QUIET_MS_MAX) {
      world.run(LOOK_MS);
      waited += LOOK_MS;
    }
    requireDone();
  }

  private boolean isDone() {
    return world.server().catalog().tunnels(Optional.empty()).stream()
        .allMatch(tunnel -> world.views(tunnel).stream().allMatch(this::isDone));
  }

  private boolean isDone(ChannelDescription view) {
    ChannelTruth truth = world.ledger.channels.get(view.channelId());
    return view.checkpointed() == truth.partition.committed()
        && truth.firstMissing(truth.partition.committed()) < 0;
  }

  private void requireDone() {
    for (TunnelInfo tunnel : world.server().catalog().tunnels(Optional.empty())) {
      for (ChannelDescription view : world.views(tunnel)) {
        ChannelTruth truth = world.ledger.channels.get(view.channelId());
        long missing = truth.firstMissing(truth.partition.committed());
        Invariant.EVERY_ACKNOWLEDGED_CHANGE_DELIVERED.require(
            missing < 0,
            "%d s after the last fault, %s has not processed %d of %d: %s",
            QUIET_MS_MAX / 1_000,
            view.channelId(),
            missing,
            truth.partition.committed(),
            view);
        Invariant.LIVENESS.require(
            view.checkpointed() == truth.partition.committed(),
            "%d s after the last fault, %s is checkpointed at %d of %d: %s",
            QUIET_MS_MAX / 1_000,
            view.channelId(),
            view.checkpointed(),
            truth.partition.committed(),
            view);
      }
    }
  }
}
