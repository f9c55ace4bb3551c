package io.tunnel.cli.tunnels;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.cli.service.TableOption;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** A command about one tunnel. */
abstract class OneTunnelCommand extends ServiceCommand<Tunnels> {

  @ParentCommand private TunnelsCommand parent;

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

  /** An object that says which tunnel it is about. */
  final JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("table", table());
    json.addProperty("tunnel", tunnel());
    return json;
  }

  @Override
  protected final TunnelsCommand group() {
    return parent;
  }

  @Override
  protected void check() {
    var unusedTable = table();
    var unusedTunnel = tunnel();
  }
}
