package io.tunnel.cli.cluster;

import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.cli.service.WatchOptions;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the nodes of a cluster; subcommands empty a node, raise the level, save and restore. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = {
      "Show the nodes of a cluster, what each leads and follows, and how far its replicas are"
          + " behind.",
      "LEADS counts the partitions that a node is to lead. 1 of 9: the node leads one of the nine"
          + " now, and the lines below the table say why.",
      "LAG is what all replicas of a node have not read yet, in positions; GROUPS are groups of"
          + " tunnels whose sessions it coordinates; MAX is the highest level that its build"
          + " serves."
    },
    subcommands = {
      DrainCommand.class,
      UpgradeCommand.class,
      ClusterBackupCommand.class,
      ClusterRestoreCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel cluster --server n1:7650,n2:7650,n3:7650",
      "  tunnel cluster --watch 1s",
      "  tunnel cluster drain n2",
      "  tunnel cluster upgrade --dry-run"
    })
public final class ClusterCommand extends ServiceCommand {

  @Mixin private WatchOptions watch;

  /** For picocli. */
  public ClusterCommand() {}

  @Override
  protected void check() {
    watch.check();
  }

  @Override
  protected void run(Service service) throws InterruptedException {
    watch.show(out(), isJson(), columnsMax -> lines(service, columnsMax));
  }

  private List<String> lines(Service service, int columnsMax) {
    ClusterState state = ClusterState.of(service);
    return isJson()
        ? List.of(ClusterReport.json(state).toString())
        : ClusterReport.lines(state, columnsMax);
  }
}
