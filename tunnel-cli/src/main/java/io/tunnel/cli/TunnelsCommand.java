package io.tunnel.cli;

import com.google.gson.JsonObject;
import io.tunnel.model.Names;
import io.tunnel.model.StreamStart;
import io.tunnel.sdk.DescribeTunnelResponse;
import io.tunnel.sdk.TunnelInfo;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Creates and deletes tunnels, and shows how far they are. */
@Command(
    name = "tunnels",
    mixinStandardHelpOptions = true,
    description = "Create, list, describe and delete tunnels.")
final class TunnelsCommand implements Runnable {

  private final Tunnels.Connector connector;

  @Spec private CommandSpec spec;

  /** For picocli: the command on real servers. */
  TunnelsCommand() {
    this(SdkTunnels::connect);
  }

  TunnelsCommand(Tunnels.Connector connector) {
    this.connector = connector;
  }

  private Tunnels connect(ServiceOptions service) {
    return connector.connect(service.endpoint());
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }

  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = "Create a tunnel that delivers the changes of a table.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel tunnels create --table orders --tunnel audit --start EARLIEST")
  int create(
      @Mixin ServiceOptions service,
      @Mixin TableOption table,
      @Mixin TunnelOption tunnel,
      @Option(
              names = "--start",
              paramLabel = "START",
              defaultValue = "LATEST",
              description =
                  "EARLIEST: with the oldest change that is kept; LATEST: with the first after"
                      + " this moment (default: ${DEFAULT-VALUE}).")
          StreamStart start) {
    String tableName = table.name();
    String tunnelName = tunnel.name();
    try (Tunnels tunnels = connect(service)) {
      TunnelInfo created = tunnels.create(tableName, tunnelName, start);
      if (service.isJson()) {
        out().println(TunnelReport.json(created));
      } else {
        out()
            .println(
                "tunnel "
                    + created.tunnelName()
                    + " of table "
                    + created.tableName()
                    + " created, from "
                    + created.start()
                    + ", id "
                    + created.tunnelId());
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "List the tunnels of one table or of all.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel tunnels list --table orders")
  int list(
      @Mixin ServiceOptions service,
      @Option(names = "--table", paramLabel = "TABLE", description = "Only those of this table.")
          String table) {
    Optional<String> wanted =
        Optional.ofNullable(table)
            .map(name -> CommandFailure.checkUsage(() -> Names.requireResourceName("table", name)));
    try (Tunnels tunnels = connect(service)) {
      List<TunnelInfo> found = tunnels.list(wanted);
      if (service.isJson()) {
        out().println(TunnelReport.json(found));
      } else {
        TunnelReport.lines(found).forEach(out()::println);
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "describe",
      mixinStandardHelpOptions = true,
      description = "Show the channels of a tunnel: who holds them and how far they are behind.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel tunnels describe --table orders --tunnel audit")
  int describe(
      @Mixin ServiceOptions service, @Mixin TableOption table, @Mixin TunnelOption tunnel) {
    String tableName = table.name();
    String tunnelName = tunnel.name();
    try (Tunnels tunnels = connect(service)) {
      DescribeTunnelResponse described = tunnels.describe(tableName, tunnelName);
      if (service.isJson()) {
        out().println(TunnelReport.json(described));
      } else {
        TunnelReport.lines(described).forEach(out()::println);
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "delete",
      mixinStandardHelpOptions = true,
      description = "Delete a tunnel and its checkpoints; its workers stop. The table stays.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel tunnels delete --table orders --tunnel audit")
  int delete(@Mixin ServiceOptions service, @Mixin TableOption table, @Mixin TunnelOption tunnel) {
    String tableName = table.name();
    String tunnelName = tunnel.name();
    try (Tunnels tunnels = connect(service)) {
      tunnels.delete(tableName, tunnelName);
    }
    if (service.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("deleted", tunnelName);
      json.addProperty("table", tableName);
      out().println(json);
    } else {
      out().println("tunnel " + tunnelName + " of table " + tableName + " deleted");
    }
    return ExitCode.OK;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
