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
import picocli.CommandLine.ParentCommand;

/** Shows the partitions of a table. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description = "Show the partitions of a table: range, rows, bytes, positions and skew.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel partition describe --table orders")
final class DescribeCommand extends Job {

  @ParentCommand private PartitionCommand parent;

  @Mixin private ServiceOptions service;

  @Option(names = "--table", required = true, paramLabel = "TABLE", description = "The table.")
  private String table;

  @Override
  public Integer call() {
    String name = CommandFailure.checkUsage(() -> Names.requireResourceName("table", table));
    PrintWriter out = out();
    try (PartitionTables tables = parent.connect(service.endpoint())) {
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
