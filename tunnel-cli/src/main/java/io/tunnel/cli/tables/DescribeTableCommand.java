package io.tunnel.cli.tables;

import io.tunnel.cli.service.Service;
import io.tunnel.partition.tool.TableReport;
import io.tunnel.sdk.table.TableInfo;
import picocli.CommandLine.Command;

/** Shows a table. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description = "Show a table with its partitions (the same as 'tunnel partition describe').",
    footerHeading = "%nExample:%n",
    footer = "  tunnel tables describe --table orders")
final class DescribeTableCommand extends TableCommand {

  /** For picocli. */
  DescribeTableCommand() {}

  @Override
  protected void run(Service service) {
    TableInfo description = service.describeTable(table());
    print(() -> TableReport.json(description), () -> TableReport.lines(description));
  }
}
