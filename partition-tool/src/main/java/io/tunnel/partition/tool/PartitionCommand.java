package io.tunnel.partition.tool;

import io.tunnel.terminal.CommandGroup;
import picocli.CommandLine.Command;

/** Creates and pre-splits tables, and shows how their partitions fill. */
@Command(
    name = "partition",
    mixinStandardHelpOptions = true,
    description = {
      "Create tables in partitions, and see how evenly these fill.",
      "'tunnel tables' has the same commands."
    },
    subcommands = {CreateCommand.class, DescribeCommand.class})
public final class PartitionCommand extends CommandGroup {

  /** For picocli. */
  public PartitionCommand() {}
}
