package io.tunnel.cli.cluster;

import com.google.gson.JsonObject;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.DurationConverter;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Empties a node, and waits until it is empty. */
@Command(
    name = "drain",
    mixinStandardHelpOptions = true,
    description = {
      "Empty a node: others lead what it led, and it can be stopped without anybody noticing.",
      "Returns when it leads nothing. It stays empty until it is restarted, or told --undo."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  tunnel cluster drain n2", "  tunnel cluster drain n2 --undo"})
final class DrainCommand implements Callable<Integer> {

  private static final long LOOK_MS = 500;
  private static final long PATIENCE_MS = 5_000;

  @ParentCommand private ClusterCommand parent;

  @Spec private CommandSpec spec;

  @Mixin private ServiceOptions service;

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
    requireOwnServer();
    try (Cluster cluster = parent.connect(service.endpoint())) {
      ClusterState state = ClusterState.of(cluster);
      ClusterState.Node node = state.node(name).orElseThrow(() -> unknown(state));
      if (isUndone) {
        cluster.drain(node.description(), false);
        say("undone", "node " + name + " takes part again");
        return ExitCode.OK;
      }
      requireOthers(state);
      cluster.drain(node.description(), true);
      return awaitEmpty(cluster);
    }
  }

  /** Given to the wrong command, it would be ignored, and a node of another cluster drained. */
  private void requireOwnServer() {
    CommandLine.ParseResult ofParent = spec.parent().commandLine().getParseResult();
    for (String option : List.of("--server", "--profile")) {
      if (ofParent != null && ofParent.hasMatchedOption(option)) {
        throw CommandFailure.usage(
            "give " + option + " behind drain: tunnel cluster drain NODE " + option + " …");
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
          "no other node takes part, so nobody would lead what '" + name + "' leads");
    }
  }

  private int awaitEmpty(Cluster cluster) throws InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    String said = "";
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    try (StopSignal stop = new StopSignal(PATIENCE_MS)) {
      while (true) {
        Optional<ClusterState.Node> node = ClusterState.of(cluster).node(name);
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
                  + "; it goes on giving it up. Look at tunnel cluster, or take it back with --undo");
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
    PrintWriter out = spec.commandLine().getOut();
    if (service.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("node", name);
      json.addProperty("outcome", outcome);
      out.println(json);
    } else {
      out.println(line);
    }
  }
}
