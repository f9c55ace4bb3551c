package io.tunnel.cli.tables;

import io.tunnel.cli.rows.DeleteRowsCommand;
import io.tunnel.cli.rows.PutRowsCommand;
import io.tunnel.cli.rows.UpdateRowsCommand;
import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceGroup;
import io.tunnel.terminal.Prompt;
import java.util.Objects;
import picocli.CommandLine.Command;

/** Looks at tables and their rows, changes their options, and drops them. */
@Command(
    name = "tables",
    mixinStandardHelpOptions = true,
    description = "List, describe, alter and drop tables; read and write their rows.",
    subcommands = {
      ListTablesCommand.class,
      DescribeTableCommand.class,
      AlterTableCommand.class,
      DropTableCommand.class,
      GetRowCommand.class,
      ScanCommand.class,
      PutRowsCommand.class,
      UpdateRowsCommand.class,
      DeleteRowsCommand.class
    })
public final class TablesCommand extends ServiceGroup<Tables> {

  private final Prompt prompt;

  /** For picocli: the command on real servers. */
  public TablesCommand() {
    this(SdkTables::connect, Prompt.terminal());
  }

  public TablesCommand(Service.Connector<Tables> connector, Prompt prompt) {
    super(connector);
    this.prompt = Objects.requireNonNull(prompt, "prompt");
  }

  Prompt prompt() {
    return prompt;
  }
}
