package io.tunnel.cli.cluster;

import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.WatchOptions;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.options.ServiceOptions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Shows the nodes of a cluster; its subcommand empties one. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = {
      "Show the nodes of a cluster, what each leads and follows, and how far its replicas are behind.",
      "LAG is what all replicas of a node have not read yet, in positions; GROUPS are groups of"
          + " tunnels whose sessions it coordinates."
    },
    subcommands = DrainCommand.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel cluster --server n1:7650,n2:7650,n3:7650",
      "  tunnel cluster --watch 1s",
      "  tunnel cluster drain n2"
    })
public final class ClusterCommand implements Callable<Integer> {

  private final Service.Connector<Cluster> connector;

  @Spec private CommandSpec spec;

  @Mixin private ServiceOptions service;

  @Mixin private WatchOptions watch;

  /** For picocli: the command on real servers. */
  public ClusterCommand() {
    this(SdkCluster::connect);
  }

  public ClusterCommand(Service.Connector<Cluster> connector) {
    this.connector = Objects.requireNonNull(connector, "connector");
  }

  Cluster connect(String endpoint) {
    return connector.connect(endpoint);
  }

  @Override
  public Integer call() throws InterruptedException {
    watch.check();
    try (Cluster cluster = connect(service.endpoint())) {
      watch.show(
          spec.commandLine().getOut(), service.isJson(), columnsMax -> lines(cluster, columnsMax));
    }
    return ExitCode.OK;
  }

  private List<String> lines(Cluster cluster, int columnsMax) {
    ClusterState state = ClusterState.of(cluster);
    return service.isJson()
        ? List.of(ClusterReport.json(state).toString())
        : ClusterReport.lines(state, columnsMax);
  }
}
