package io.tunnel.partition.tool;

import io.tunnel.model.Names;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the partitions of a table. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description = "Show the partitions of a table: range, rows, bytes, positions and skew.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel partition describe --table orders")
final class DescribeCommand extends Job {

  private final PartitionTables.Connector connector;

  @Mixin private ServiceOptions service;

  @Option(names = "--table", required = true, paramLabel = "TABLE", description = "The table.")
  private String table;

  /** The command on real servers. */
  DescribeCommand() {
    this(SdkPartitionTables::connect);
  }

  DescribeCommand(PartitionTables.Connector connector) {
    this.connector = connector;
  }

  @Override
  public Integer call() {
    String name = CommandFailure.checkUsage(() -> Names.requireResourceName("table", table));
    PrintWriter out = out();
    try (PartitionTables tables = connector.connect(service.endpoint())) {
      TableInfo description = tables.describe(name);
      if (service.isJson()) {
        out.println(TableReport.json(description));
      } else {
        TableReport.lines(description).forEach(out::println);
      }
    }
    return ExitCode.OK;
  }
}
