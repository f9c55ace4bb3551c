package io.tunnel.cli.tunnels;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.cli.service.TableOption;
import picocli.CommandLine.Mixin;

/** A command about one tunnel. */
abstract class OneTunnelCommand extends ServiceCommand {

  @Mixin private TableOption table;

  @Mixin private TunnelOption tunnel;

  final String table() {
    return table.name();
  }

  final String tunnel() {
    return tunnel.name();
  }

  /** What people call it. */
  final String name() {
    return "tunnel " + tunnel() + " of table " + table();
  }

  /** A JSON object with the names of the table and the tunnel. */
  final JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("table", table());
    json.addProperty("tunnel", tunnel());
    return json;
  }

  @Override
  protected void check() {
    var unusedTable = table();
    var unusedTunnel = tunnel();
  }
}
