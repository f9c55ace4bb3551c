package io.tunnel.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.partition.tool.TableReport;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.wire.Control.PartitionDescription;
import io.tunnel.wire.Control.TableDescription;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looks at tables and their rows, and drops tables. */
@Command(
    name = "tables",
    mixinStandardHelpOptions = true,
    description = "List, describe and drop tables; read their rows.",
    subcommands = ScanCommand.class)
final class TablesCommand implements Runnable {

  private final Tables.Connector connector;

  @Spec private CommandSpec spec;

  /** For picocli: the command on real servers. */
  TablesCommand() {
    this(SdkTables::connect);
  }

  TablesCommand(Tables.Connector connector) {
    this.connector = connector;
  }

  Tables connect(ServiceOptions service) {
    return connector.connect(service.endpoint());
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Print the names of all tables, one a line.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel tables list")
  int list(@Mixin ServiceOptions service) {
    try (Tables tables = connect(service)) {
      List<String> names = tables.list();
      if (service.isJson()) {
        JsonArray array = new JsonArray();
        names.forEach(array::add);
        JsonObject json = new JsonObject();
        json.add("tables", array);
        out().println(json);
      } else {
        names.forEach(out()::println);
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "describe",
      mixinStandardHelpOptions = true,
      description = "Show a table with its partitions (the same as 'tunnel partition describe').",
      footerHeading = "%nExample:%n",
      footer = "  tunnel tables describe --table orders")
  int describe(@Mixin ServiceOptions service, @Mixin TableOption table) {
    String name = table.name();
    try (Tables tables = connect(service)) {
      TableDescription description = tables.describe(name);
      if (service.isJson()) {
        out().println(TableReport.json(description));
      } else {
        TableReport.lines(description).forEach(out()::println);
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "drop",
      mixinStandardHelpOptions = true,
      description = "Delete a table with all its rows, changes and tunnels, for good.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel tables drop --table orders --yes")
  int drop(
      @Mixin ServiceOptions service,
      @Mixin TableOption table,
      @Option(names = "--yes", description = "Really do it; without it nothing is dropped.")
          boolean yes) {
    String name = table.name();
    try (Tables tables = connect(service)) {
      if (!yes) {
        throw CommandFailure.usage(whatWouldBeLost(tables.describe(name)));
      }
      tables.drop(name);
    }
    if (service.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("dropped", name);
      out().println(json);
    } else {
      out().println("table " + name + " dropped");
    }
    return ExitCode.OK;
  }

  private static String whatWouldBeLost(TableDescription table) {
    long rows = table.partitions().stream().mapToLong(PartitionDescription::rowCount).sum();
    return "table '"
        + table.meta().name()
        + "' has about "
        + Human.count(rows)
        + " rows in "
        + table.partitions().size()
        + " partitions, and they would be lost for good: add --yes to drop it";
  }

  @Command(
      name = "get",
      mixinStandardHelpOptions = true,
      description = "Print the row of a key. INTEGER in decimal, STRING as it is, BINARY in hex.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel tables get --table orders --key hash=00c0ffee --key uid=alice")
  int get(
      @Mixin ServiceOptions service,
      @Mixin TableOption table,
      @Option(
              names = "--key",
              required = true,
              paramLabel = "NAME=VALUE",
              description = "A column of the key; give each.")
          Map<String, String> key) {
    String name = table.name();
    try (Tables tables = connect(service)) {
      PrimaryKey wanted = KeyArguments.whole(tables.describe(name).meta().primaryKey(), key);
      Optional<Row> row = tables.get(name, wanted);
      if (row.isEmpty()) {
        throw CommandFailure.failed("table '" + name + "' has no row with the key " + wanted);
      }
      if (service.isJson()) {
        out().println(RowReport.json(row.get()));
      } else {
        RowReport.lines(row.get()).forEach(out()::println);
      }
    }
    return ExitCode.OK;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
