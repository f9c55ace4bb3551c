package io.tunnel.cli.tables;

import io.tunnel.cli.export.ExportTableCommand;
import io.tunnel.cli.export.ImportTableCommand;
import io.tunnel.cli.rows.DeleteRowsCommand;
import io.tunnel.cli.rows.PutRowsCommand;
import io.tunnel.cli.rows.UpdateRowsCommand;
import io.tunnel.partition.tool.CreateCommand;
import io.tunnel.terminal.CommandGroup;
import picocli.CommandLine.Command;

/** Looks at tables and their rows, changes their options, and drops them. */
@Command(
    name = "tables",
    mixinStandardHelpOptions = true,
    description =
        "Create, list, describe, alter and drop tables; read, write, export and import rows.",
    subcommands = {
      CreateCommand.class,
      ListTablesCommand.class,
      DescribeTableCommand.class,
      AlterTableCommand.class,
      DropTableCommand.class,
      GetRowCommand.class,
      ScanCommand.class,
      PutRowsCommand.class,
      UpdateRowsCommand.class,
      DeleteRowsCommand.class,
      ExportTableCommand.class,
      ImportTableCommand.class,
      SessionsCommand.class
    })
public final class TablesCommand extends CommandGroup {

  /** For picocli. */
  public TablesCommand() {}
}
