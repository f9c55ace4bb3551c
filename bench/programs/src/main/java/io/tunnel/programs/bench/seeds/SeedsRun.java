package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.process.LoadPeer;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Human;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs workloads case by case. A case starts a new server on each side, one after the other; the
 * first side changes from case to case.
 */
final class SeedsRun {

  private final SeedsCommand.Plan plan;
  private final Path directory;
  private final LoadClock clock;
  private final PrintWriter err;
  private final Sides sides;
  private final Own own;
  private final long deadlineNanos;
  private int servers;

  /**
   * Starts servers of this service, with files below {@code directory}, and measures the servers.
   */
  SeedsRun(SeedsCommand.Plan plan, Path directory, LoadClock clock, PrintWriter err) {
    this(plan, directory, clock, err, new Sides(clock)::own);
  }

  /** Measures this service as {@code own} says. */
  SeedsRun(SeedsCommand.Plan plan, Path directory, LoadClock clock, PrintWriter err, Own own) {
    this.plan = plan;
    this.directory = directory;
    this.clock = clock;
    this.err = err;
    this.sides = new Sides(clock);
    this.own = own;
    this.deadlineNanos = clock.nanos() + TimeUnit.MINUTES.toNanos(plan.minutesMax());
  }

  /** How this service is measured. */
  @FunctionalInterface
  interface Own {

    /**
     * The side of a kind.
     *
     * @param remarks hears what people have to know
     */
    Beside side(Kind kind, Consumer<String> remarks);
  }

  /** A peer that runs until it fails. */
  private static final class PeerSide {
    final String name;
    final List<String> remarks = new ArrayList<>();
    Optional<Beside> side;

    PeerSide(String name, Optional<Beside> side) {
      this.name = name;
      this.side = side;
    }
  }

  SeedsResult run(Workload whole) throws Exception {
    Workload workload = whole.with(whole.times().scaled(plan.scale()));
    PeerSide peer = peer(workload.kind());
    List<SeedRow> rows = new ArrayList<>();
    int leftOut = 0;
    int cases = 0;
    for (Optional<Integer> threads : threads(workload)) {
      for (Load load : workload.loads()) {
        if (clock.nanos() - deadlineNanos > 0) {
          leftOut++;
          continue;
        }
        rows.addAll(run(workload, load, threads, peer, cases % 2 == 1));
        cases++;
      }
    }
    return new SeedsResult(whole, peer.name, rows, leftOut, peer.remarks);
  }

  private static List<Optional<Integer>> threads(Workload workload) {
    return workload.threads().isEmpty()
        ? List.of(Optional.empty())
        : workload.threads().stream().map(Optional::of).toList();
  }

  private PeerSide peer(Kind kind) {
    return switch (kind) {
      case ECHO ->
          new PeerSide(
              "a bare Netty echo",
              plan.hasPeers() ? Optional.of(sides.echoPeer()) : Optional.empty());
      case REGISTRY -> {
        PeerSide etcd =
            new PeerSide(
                "etcd", plan.hasPeers() ? plan.etcd().map(sides::etcdPeer) : Optional.empty());
        if (plan.hasPeers() && plan.etcd().isEmpty()) {
          etcd.remarks.add(
              "No peer: etcd is not installed. Debian's package etcd-server has it (apt-get install"
                  + " etcd-server).");
        }
        yield etcd;
      }
      case QUEUE -> loadPeer(kind, "Apache ActiveMQ Artemis");
      case PUBLISH -> loadPeer(kind, "Apache ZooKeeper");
      case MIX, ACCESS -> new PeerSide("no peer", Optional.empty());
    };
  }

  /** A peer whose load is a process of its own. */
  private PeerSide loadPeer(Kind kind, String usualName) {
    Optional<LoadPeer> peer =
        plan.loadPeers().stream().filter(each -> each.kind().equals(kind.word())).findFirst();
    String name = peer.map(LoadPeer::name).orElse(usualName);
    PeerSide side = new PeerSide(name, Optional.empty());
    if (!plan.hasPeers()) {
      return side;
    }
    if (peer.isEmpty()) {
      side.remarks.add(
          "No peer: "
              + name
              + " is not here. The launcher of a source tree fetches and builds it.");
    }
    side.side =
        peer.map(
            each ->
                new LoadSide(clock)
                    .peer(
                        each,
                        settings -> {
                          if (!side.remarks.contains(settings)) {
                            side.remarks.add(settings);
                          }
                        }));
    return side;
  }

  private List<SeedRow> run(
      Workload workload,
      Load asPublished,
      Optional<Integer> threads,
      PeerSide peer,
      boolean isPeerFirst)
      throws Exception {
    Load load = asPublished.scaled(plan.scale());
    say(
        workload.seed()
            + ": "
            + clients(load)
            + ", "
            + load.bytes()
            + " bytes"
            + load.rowsBefore()
                .map(rows -> ", " + Human.counted(rows, "row") + " before")
                .orElse("")
            + (load.servers() == 1 ? "" : ", " + load.servers() + " servers")
            + threads.map(loops -> ", " + Human.counted(loops, "thread")).orElse(""));
    Map<String, Map<Figure, Double>> theirs = Map.of();
    if (isPeerFirst) {
      theirs = beside(workload, load, threads, peer);
    }
    Map<String, Map<Figure, Double>> ours =
        own.side(workload.kind(), peer.remarks::add)
            .measure(workload, load, threads, nextDirectory());
    tell("this service", workload, ours);
    ours.forEach(
        (operation, of) -> fewAnswers(workload, load, operation, of).ifPresent(peer.remarks::add));
    if (!isPeerFirst) {
      theirs = beside(workload, load, threads, peer);
    }
    List<SeedRow> rows = new ArrayList<>();
    for (String operation : workload.operations(load)) {
      rows.add(
          new SeedRow(
              operation,
              load,
              threads,
              ours.get(operation),
              Optional.ofNullable(theirs.get(operation)),
              workload.published(operation, asPublished, threads)));
    }
    return rows;
  }

  /** Answers behind the end do not count, so with few answers the fast ones are too many. */
  private static Optional<String> fewAnswers(
      Workload workload, Load load, String operation, Map<Figure, Double> figures) {
    boolean isTimed = workload.kind() == Kind.ECHO || workload.kind() == Kind.MIX;
    int seconds = workload.times().measured();
    long answers = Math.round(seconds * figures.getOrDefault(Figure.PER_SECOND, 0.0));
    return isTimed && answers < load.clients()
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "Seed %s, %s of %,d clients: %,d answers within %,d s. Clients that still waited are"
                    + " not in the figures; more seconds would count them.",
                workload.seed(),
                operation,
                load.clients(),
                answers,
                seconds))
        : Optional.empty();
  }

  private static String clients(Load load) {
    return load.parties()
        .map(
            each ->
                String.join(
                    ", ",
                    Human.counted(load.clients(), "sender"),
                    Human.counted(each.receivers(), "receiver"),
                    Human.counted(each.connections(), "connection"),
                    Human.counted(each.destinations(), each.isTopic() ? "topic" : "queue")))
        .or(
            () ->
                load.audience()
                    .map(
                        each ->
                            Human.counted(load.clients(), "publisher")
                                + ", "
                                + Human.counted(
                                    (long) load.clients() * each.subscribers(), "subscriber")))
        .orElse(Human.counted(load.clients(), "client"));
  }

  /** A peer that fails is told, and the rest goes on without it. */
  private Map<String, Map<Figure, Double>> beside(
      Workload workload, Load load, Optional<Integer> threads, PeerSide peer) throws Exception {
    if (peer.side.isEmpty()) {
      return Map.of();
    }
    try {
      Map<String, Map<Figure, Double>> figures =
          peer.side.get().measure(workload, load, threads, nextDirectory());
      tell(peer.name, workload, figures);
      return figures;
    } catch (CommandFailure | IOException e) {
      peer.side = Optional.empty();
      String remark =
          "No peer from the case of "
              + clients(load)
              + " on: "
              + peer.name
              + " failed: "
              + e.getMessage();
      peer.remarks.add(remark);
      say(remark);
      return Map.of();
    }
  }

  private Path nextDirectory() {
    servers++;
    return directory.resolve("server-" + servers);
  }

  private void tell(String who, Workload workload, Map<String, Map<Figure, Double>> figures) {
    StringBuilder line = new StringBuilder("  ").append(who).append(':');
    figures.forEach(
        (operation, of) ->
            line.append(' ').append(operation).append(told(workload.kind(), of)).append(';'));
    say(line.substring(0, line.length() - 1));
  }

  private static String told(Kind kind, Map<Figure, Double> figures) {
    if (kind == Kind.QUEUE) {
      return String.format(Locale.ROOT, " %,.0f/s", figures.get(Figure.RECEIVED_PER_SECOND));
    }
    return figures.containsKey(Figure.AVERAGE_MS)
        ? String.format(
            Locale.ROOT,
            " %,.0f/s, average %.3f ms",
            figures.get(Figure.PER_SECOND),
            figures.get(Figure.AVERAGE_MS))
        : " without an answer";
  }

  private void say(String line) {
    err.println(line);
    err.flush();
  }
}
