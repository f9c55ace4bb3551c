package io.tunnel.cli.cluster;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.sdk.cluster.ClusterLevels;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.TextTable;
import io.tunnel.terminal.options.ConfirmOption;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Looks who serves a higher level, and raises the level. */
@Command(
    name = "upgrade",
    mixinStandardHelpOptions = true,
    description = {
      "Raise the level of a cluster, or of a single server, to the highest that all its nodes"
          + " serve: from then on the features of that level can be used.",
      "First it says who serves which level. There is no way back: a build below the level is not"
          + " started any more."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  tunnel cluster upgrade --dry-run", "  tunnel cluster upgrade --yes"})
final class UpgradeCommand extends ServiceCommand {

  @Option(names = "--dry-run", description = "Only say who serves which level.")
  private boolean isDryRun;

  @Mixin private ConfirmOption confirm;

  /** For picocli. */
  UpgradeCommand() {}

  @Override
  protected void check() {
    DrainCommand.requireOwnServer(spec(), "upgrade");
  }

  @Override
  protected void run(Service service) {
    ClusterLevels found = service.levels();
    if (isDryRun) {
      print(() -> json(found, found.level()), () -> look(found));
      return;
    }
    int to = found.reachable();
    if (to <= found.level()) {
      requireNobodyNewer(found);
      print(() -> json(found, found.level()), () -> List.of(nothingToRaise(found)));
      return;
    }
    if (!confirm.isGiven()) {
      look(found).forEach(err()::println);
      err().flush();
      confirm.require(isJson(), "the level stays " + found.level());
    }
    ClusterLevels raised = service.upgrade(to);
    print(
        () -> json(raised, found.level()),
        () -> List.of("the level is " + raised.level() + ", and was " + found.level()));
  }

  /** An operator who replaced some builds expects a raise. */
  private static void requireNobodyNewer(ClusterLevels found) {
    List<String> lacking = found.lacking(found.newest());
    if (!lacking.isEmpty()) {
      throw CommandFailure.failed(
          "the level stays "
              + found.level()
              + ": level "
              + found.newest()
              + " is not served by "
              + String.join(", ", lacking)
              + "; replace the build there first");
    }
  }

  private static String nothingToRaise(ClusterLevels found) {
    return "the level is " + found.level() + ", the highest that every node serves";
  }

  private static List<String> look(ClusterLevels found) {
    int newest = Math.max(found.level(), found.newest());
    TextTable table = new TextTable("NODE", ">MAX", "READY");
    found
        .levelMaxByNode()
        .forEach(
            (node, levelMax) ->
                table.row(
                    node,
                    Integer.toString(levelMax),
                    levelMax >= newest ? "yes" : "no: its build serves no higher level"));
    List<String> lines = new ArrayList<>(table.lines());
    lines.add("");
    lines.add(
        found.reachable() > found.level()
            ? "the level is " + found.level() + " and can be raised to " + found.reachable()
            : nothingToRaise(found));
    return lines;
  }

  private static JsonObject json(ClusterLevels levels, int before) {
    JsonObject json = new JsonObject();
    json.addProperty("level", levels.level());
    json.addProperty("before", before);
    json.addProperty("reachable", levels.reachable());
    JsonObject nodes = new JsonObject();
    levels.levelMaxByNode().forEach(nodes::addProperty);
    json.add("levelMaxByNode", nodes);
    return json;
  }
}
