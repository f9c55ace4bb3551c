package io.tunnel.it.sim.story;

import io.tunnel.it.sim.Completion;
import io.tunnel.it.sim.SimWorker;
import io.tunnel.it.sim.Upkeep;
import io.tunnel.it.sim.World;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.truth.Holding;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Durability;
import io.tunnel.model.StreamStart;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Control.SessionDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** Does what the commands of a story say, in a world of its own, and tells what comes of it. */
final class StoryStage {

  /** Within it a look at what is kept is over. */
  private static final long TRIM_MS = 100;

  private static final int CREDIT_BYTES = 2_000;
  private static final long FROZEN_MS = 86_400_000;
  private static final long SEEN_NANOS = 1_000_000;
  private static final long SETTLE_MS = 250;
  private static final long SETTLED_MS_MAX = 30_000;

  private final StoryLines lines = new StoryLines();
  private final StoryNames names = new StoryNames();
  private final StoryProgress progress = new StoryProgress();
  private final Map<String, TunnelInfo> tunnels = new TreeMap<>();
  private final Map<String, StoryWorker> roles = new TreeMap<>();
  private World world;
  private StoryWire wire;
  private StoryClient client;
  private CheckpointSet exported;

  /** Does one thing. */
  List<String> run(StoryCommand command) {
    if (world == null) {
      makeWorld(command);
    } else {
      act(command);
    }
    wire.sayTerminated();
    return lines.take();
  }

  /** The output before a failure, and the state of the world. */
  String failure(String line) {
    String trace = world == null ? "" : String.join("\n", world.trace.lastLines());
    return "at '" + line + "', after\n" + String.join("\n", lines.take()) + "\nin\n" + trace;
  }

  private void makeWorld(StoryCommand command) {
    if (!command.verb().equals("table")) {
      throw new IllegalArgumentException("a story begins with a table, not " + command.words());
    }
    int partitions = command.number("partitions", 1);
    int shards = command.number("shards", 1);
    world =
        new World(
            command.number("seed", 1),
            random -> new World.Settings(shards, partitions, CREDIT_BYTES, Upkeep.Kind.NONE),
            line -> {});
    world.network.steady();
    wire = new StoryWire(world.wiretap, lines, names);
    world.tap(wire);
    world.machine.start();
    client = new StoryClient(world, names, lines);
    client.createTable(command.word(1), partitions, command.millis("retention", 0));
  }

  private void act(StoryCommand command) {
    switch (command.verb()) {
      case "run" -> world.run(StoryCommand.millis(command.word(1)));
      case "settle" -> settle();
      case "say" -> wire.sayDeliveries();
      case "write", "delete-rows" -> write(command);
      case "tunnel" -> createTunnel(command);
      case "worker" -> startWorker(command);
      case "processor" -> behave(command);
      case "done" ->
          roles.get(command.word(1)).done(command.word(2), Long.parseLong(command.word(3)));
      case "leave" -> worker(command).leave();
      case "kill" -> world.crashWorker(worker(command));
      case "freeze" -> worker(command).process().pause(FROZEN_MS * 1_000_000);
      case "thaw" -> worker(command).process().wake();
      case "cut" -> cut(command.word(1));
      case "stall" -> stall(command.word(1), StoryCommand.millis(command.word(2)));
      case "set-back" ->
          world.machine.skewClock(
              -TimeUnit.MILLISECONDS.toMicros(StoryCommand.millis(command.word(1))));
      case "crash" -> crash(command);
      case "start" -> startServer();
      case "trim" -> trim();
      case "split" -> split(command);
      case "show" -> show(command);
      default -> operate(command);
    }
  }

  private void operate(StoryCommand command) {
    switch (command.verb()) {
      case "pause" -> client.ask(Operation.PAUSE, selection(command), Empty.class);
      case "resume" -> client.ask(Operation.RESUME, selection(command), Empty.class);
      case "seek" -> seek(command);
      case "export" ->
          client
              .ask(Operation.EXPORT_CHECKPOINTS, name(command), CheckpointSet.class)
              .ifPresent(this::exported);
      case "import" ->
          move(command, List.of(), Optional.empty(), Optional.empty(), Optional.of(exported));
      case "end-session" -> endSession(command);
      case "delete-tunnel" -> client.ask(Operation.DELETE_TUNNEL, name(command), Empty.class);
      default -> throw new IllegalArgumentException("there is no command " + command.verb());
    }
  }

  // The table, the server, the network.

  private void write(StoryCommand command) {
    Optional<Durability> durability =
        command.has("os") ? Optional.of(Durability.OS) : Optional.empty();
    long first = command.number("from", 1);
    List<Long> keys = LongStream.range(first, first + command.number("rows", 1)).boxed().toList();
    client.write(command.word(1), keys, command.verb().equals("delete-rows"), durability);
  }

  private void crash(StoryCommand command) {
    if (command.has("behind-checkpoint")) {
      world.machine.crashWhenStored(
          name -> {
            boolean isCheckpoint = name.startsWith("checkpoint/");
            if (isCheckpoint) {
              lines.add("the server crashes: a checkpoint is stored, and not answered");
            }
            return isCheckpoint;
          });
    } else if (command.has("power")) {
      world.machine.losePowerWithAllUnsynced();
    } else {
      world.machine.crash(false);
    }
  }

  private void startServer() {
    Map<Integer, Long> committed = new TreeMap<>();
    Map<String, Long> checkpointed = new TreeMap<>();
    world.ledger.partitions.forEach((id, truth) -> committed.put(id, truth.committed()));
    world.ledger.channels.forEach((id, truth) -> checkpointed.put(id, truth.checkpointed()));
    world.machine.start();
    world.ledger.partitions.forEach(
        (id, truth) -> {
          if (truth.committed() < committed.get(id)) {
            lines.add(
                names.partition(id) + " has lost", truth.committed() + 1, committed.get(id), "");
          }
        });
    world.ledger.channels.forEach(
        (id, truth) -> {
          if (truth.checkpointed() != checkpointed.get(id)) {
            lines.add(
                names.channel(id)
                    + "'s checkpoint is "
                    + truth.checkpointed()
                    + ", no longer "
                    + checkpointed.get(id));
          }
        });
  }

  private void trim() {
    world.machine.server().retain(world.machine::nowMicros);
    world.run(TRIM_MS);
    for (int id : world.ledger.partitions.keySet()) {
      lines.add(
          names.partition(id)
              + " is kept from "
              + world.machine.server().changes().firstPosition(id));
    }
  }

  private void split(StoryCommand command) {
    world.machine.makeChild(names.partition(command.word(1)));
  }

  private List<SimConnection> connections(String worker) {
    return world.network.open().stream()
        .filter(each -> each.toString().startsWith(worker + "#"))
        .toList();
  }

  private void cut(String worker) {
    for (SimConnection each : connections(worker)) {
      world.wiretap.lost(each, Holding.Reason.CONNECTION_LOST);
      each.cut(SEEN_NANOS, SEEN_NANOS);
    }
  }

  private void stall(String worker, long millis) {
    connections(worker).forEach(each -> world.stall(each, millis));
  }

  /** Lets time pass until there is nothing left to do, and requires that all is as promised. */
  private void settle() {
    for (long waited = 0; waited < SETTLED_MS_MAX && !isSettled(); waited += SETTLE_MS) {
      world.run(SETTLE_MS);
    }
    Completion.require(world, SETTLED_MS_MAX / 1_000);
    lines.add("everything is delivered, and checkpointed");
  }

  private boolean isSettled() {
    return world.machine.tunnels().stream()
        .allMatch(
            tunnel ->
                world.machine.views(tunnel).stream()
                    .allMatch(view -> Completion.isDone(world, tunnel, view)));
  }

  // Workers.

  private void startWorker(StoryCommand command) {
    String name = command.word(1);
    StoryWorker.Book book = new StoryWorker.Book(world.ledger, lines, names, progress);
    StoryWorker role = new StoryWorker(name, command, book);
    role.behave("all", command);
    roles.put(name, role);
    world.startWorker(name, tunnel(command).tunnelId(), role);
  }

  private SimWorker worker(StoryCommand command) {
    SimWorker worker = world.workers.get(command.word(1));
    if (worker == null) {
      throw new IllegalArgumentException("there is no worker " + command.word(1));
    }
    return worker;
  }

  private void behave(StoryCommand command) {
    roles.get(command.word(1)).behave(command.word(2), command);
  }

  // Operators.

  /** The tunnel that a command names, or else the world's only tunnel. */
  private TunnelInfo tunnel(StoryCommand command) {
    String name =
        command.option("tunnel").orElseGet(() -> tunnels.values().iterator().next().tunnel());
    return tunnels.get(name);
  }

  private Control name(StoryCommand command) {
    return new Control.TunnelName(client.table(), tunnel(command).tunnel());
  }

  private void createTunnel(StoryCommand command) {
    client
        .createTunnel(command)
        .ifPresent(
            info -> {
              tunnels.put(info.tunnel(), info);
              names.tunnel(info);
              for (ChannelDescription each : describe(info).channels()) {
                lines.add(
                    names.channel(each.channelId()) + " starts behind " + each.checkpointed());
              }
            });
  }

  private TunnelDescription describe(TunnelInfo tunnel) {
    return client.describe(tunnel.tunnel()).orElseThrow();
  }

  private List<String> channels(StoryCommand command) {
    return command.words().size() < 2 || command.word(1).equals("all")
        ? List.of()
        : List.of(names.channelId(tunnel(command).tunnelId(), command.word(1)));
  }

  private ChannelSelection selection(StoryCommand command) {
    return new ChannelSelection(client.table(), tunnel(command).tunnel(), channels(command));
  }

  private void seek(StoryCommand command) {
    String to = command.option("to").orElseThrow();
    Optional<StreamStart> edge =
        switch (to) {
          case "earliest" -> Optional.of(StreamStart.EARLIEST);
          case "latest" -> Optional.of(StreamStart.LATEST);
          default -> Optional.empty();
        };
    Optional<Long> position = edge.isPresent() ? Optional.empty() : Optional.of(Long.valueOf(to));
    move(command, channels(command), edge, position, Optional.empty());
  }

  private void move(
      StoryCommand command,
      List<String> channels,
      Optional<StreamStart> edge,
      Optional<Long> position,
      Optional<CheckpointSet> checkpoints) {
    Seek seek =
        new Seek(
            client.table(),
            tunnel(command).tunnel(),
            channels,
            edge,
            Optional.empty(),
            position,
            checkpoints,
            command.has("dry"));
    client
        .ask(Operation.SEEK, seek, SeekResult.class)
        .ifPresent(
            result ->
                result
                    .moves()
                    .forEach(
                        move ->
                            lines.add(
                                names.channel(move.channelId())
                                    + (seek.isDryRun() ? " would go from " : " goes from ")
                                    + move.from()
                                    + " to "
                                    + move.to())));
  }

  private void exported(CheckpointSet set) {
    exported = set;
    set.channels()
        .forEach(
            each ->
                lines.add(
                    names.partition(each.partition())
                        + (each.type() == ChannelType.BaseData ? ".base" : "")
                        + " at "
                        + each.position()
                        + (each.isFinished() ? ", finished" : "")));
  }

  private void endSession(StoryCommand command) {
    TunnelInfo tunnel = tunnel(command);
    for (SessionDescription each : describe(tunnel).sessions()) {
      if (each.clientTag().equals(command.word(1))) {
        client.ask(
            Operation.END_SESSION,
            new EndSession(client.table(), tunnel.tunnel(), each.sessionId()),
            Empty.class);
      }
    }
  }

  private void show(StoryCommand command) {
    switch (command.word(1)) {
      case "channels" -> {
        for (TunnelInfo tunnel : tunnels.values()) {
          client
              .describe(tunnel.tunnel())
              .ifPresent(each -> each.channels().forEach(view -> lines.add(line(view))));
        }
      }
      case "processed" -> progress.lines().forEach(lines::add);
      default -> throw new IllegalArgumentException("what is " + command.word(1) + "?");
    }
  }

  private String line(ChannelDescription view) {
    List<String> waitsFor = view.waitsFor().stream().map(names::plain).toList();
    return names.channel(view.channelId())
        + " "
        + view.status()
        + view.clientTag().map(tag -> " at " + tag).orElse("")
        + ", checkpoint "
        + view.checkpointed()
        + " of "
        + view.committed()
        + view.end().map(end -> ", ends at " + end).orElse("")
        + (view.isPaused() ? ", paused" : "")
        + (waitsFor.isEmpty() ? "" : ", waits for " + String.join(", ", waitsFor))
        + view.error().map(error -> ", stopped: " + names.plain(error)).orElse("");
  }
}
