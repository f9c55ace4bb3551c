package io.tunnel.partition.tool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Creates and pre-splits tables, and shows how their partitions fill. */
@Command(
    name = "partition",
    mixinStandardHelpOptions = true,
    description = "Create tables in partitions, and see how evenly these fill.",
    subcommands = {CreateCommand.class, DescribeCommand.class})
public final class PartitionCommand implements Runnable {

  private final PartitionTables.Connector connector;

  @Spec private CommandSpec spec;

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

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }
}
