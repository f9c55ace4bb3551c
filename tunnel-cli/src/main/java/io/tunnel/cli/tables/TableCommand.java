package io.tunnel.cli.tables;

import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.cli.service.TableOption;
import picocli.CommandLine.Mixin;

/** A command about one table. */
abstract class TableCommand extends ServiceCommand {

  @Mixin private TableOption table;

  final String table() {
    return table.name();
  }

  @Override
  protected void check() {
    var unused = table();
  }
}
