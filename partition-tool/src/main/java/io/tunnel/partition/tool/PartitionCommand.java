package io.tunnel.partition.tool;

import io.tunnel.terminal.CommandGroup;
import picocli.CommandLine.Command;

/** Creates and pre-splits tables, and shows how their partitions fill. */
@Command(
    name = "partition",
    mixinStandardHelpOptions = true,
    description = "Create tables in partitions, and see how evenly these fill.",
    subcommands = {CreateCommand.class, DescribeCommand.class})
public final class PartitionCommand extends CommandGroup {

  private final PartitionTables.Connector connector;

  /** The command on real servers. */
  public PartitionCommand() {
    this(SdkPartitionTables::connect);
  }

  PartitionCommand(PartitionTables.Connector connector) {
    this.connector = connector;
  }

  PartitionTables connect(String endpoint) {
    return connector.connect(endpoint);
  }
}
