package io.tunnel.cli.cluster;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceAccess;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.DurationConverter;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Empties a node, and waits until it is empty. */
@Command(
    name = "drain",
    mixinStandardHelpOptions = true,
    description = {
      "Empty a node: other nodes take over its partitions and tunnels, so that it can be stopped"
          + " without an interruption.",
      "Returns when the node leads nothing. The node stays empty until it restarts, or until"
          + " --undo."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  tunnel cluster drain n2", "  tunnel cluster drain n2 --undo"})
final class DrainCommand extends Job {

  private static final long LOOK_MS = 500;
  private static final long PATIENCE_MS = 5_000;

  @Mixin private ServiceAccess access;

  @Parameters(paramLabel = "NODE", description = "The node, as tunnel cluster names it.")
  private String name;

  @Option(names = "--undo", description = "Let it lead and keep replicas again.")
  private boolean isUndone;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "5m",
      converter = DurationConverter.class,
      description = "How long to wait until it is empty (default: ${DEFAULT-VALUE}).")
  private Duration timeout;

  /** For picocli. */
  DrainCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    requireOwnServer(spec(), "drain NODE");
    try (Service service = access.connect()) {
      ClusterState state = ClusterState.of(service);
      ClusterState.Node node = state.node(name).orElseThrow(() -> unknown(state));
      if (isUndone) {
        service.drain(node.description(), false);
        say("undone", "node " + name + " takes part again");
        return ExitCode.OK;
      }
      requireOthers(state);
      service.drain(node.description(), true);
      return awaitEmpty(service);
    }
  }

  /** A server given to the wrong command would be ignored, and another cluster changed. */
  static void requireOwnServer(CommandSpec spec, String command) {
    CommandLine.ParseResult ofParent = spec.parent().commandLine().getParseResult();
    for (String option : List.of("--server", "--profile")) {
      if (ofParent != null && ofParent.hasMatchedOption(option)) {
        throw CommandFailure.usage(
            "give "
                + option
                + " behind "
                + spec.name()
                + ": tunnel cluster "
                + command
                + " "
                + option
                + " …");
      }
    }
  }

  private CommandFailure unknown(ClusterState state) {
    List<String> names = state.nodes().stream().map(ClusterState.Node::name).toList();
    return new CommandFailure(
        ExitCode.NOT_FOUND,
        "there is no node '" + name + "' in the cluster; there are " + String.join(", ", names));
  }

  private void requireOthers(ClusterState state) {
    boolean hasOther =
        state.nodes().stream()
            .anyMatch(node -> !node.name().equals(name) && !node.description().isDraining());
    if (!hasOther) {
      throw CommandFailure.failed(
          "no other node takes part that could lead what '" + name + "' leads");
    }
  }

  private int awaitEmpty(Service service) throws InterruptedException {
    PrintWriter err = err();
    String said = "";
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    try (StopSignal stop = new StopSignal(PATIENCE_MS)) {
      while (true) {
        Optional<ClusterState.Node> node = ClusterState.of(service).node(name);
        if (node.isEmpty()) {
          say("gone", "node " + name + " has left the cluster");
          return ExitCode.OK;
        }
        if (node.get().description().isDraining() && node.get().isEmpty()) {
          say("drained", "node " + name + " is empty and can be stopped");
          return ExitCode.OK;
        }
        String rest = rest(node.get());
        if (!rest.equals(said)) {
          err.println("node " + name + " still leads " + rest);
          err.flush();
          said = rest;
        }
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        if (leftMs <= 0) {
          throw new CommandFailure(
              ExitCode.UNAVAILABLE,
              "node "
                  + name
                  + " still leads "
                  + rest
                  + "; it goes on giving it up. Look at tunnel cluster, or take it back with"
                  + " --undo");
        }
        if (stop.await(Math.min(LOOK_MS, leftMs))) {
          err.println("interrupted; node " + name + " goes on giving up what it leads");
          err.flush();
          return ExitCode.INTERRUPTED;
        }
      }
    }
  }

  private static String rest(ClusterState.Node node) {
    return Human.count(node.partitionsLed())
        + " partitions and "
        + node.description().tunnelGroups()
        + " groups of tunnels"
        + (node.description().isCatalogLeader() ? ", and the catalog" : "");
  }

  private void say(String outcome, String line) {
    PrintWriter out = out();
    if (access.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("node", name);
      json.addProperty("outcome", outcome);
      out.println(json);
    } else {
      out.println(line);
    }
  }
}
