package io.tunnel.cli.tables;

import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.cli.service.TableOption;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** A command about one table. */
abstract class TableCommand extends ServiceCommand<Tables> {

  @ParentCommand private TablesCommand parent;

  @Mixin private TableOption table;

  final String table() {
    return table.name();
  }

  @Override
  protected final TablesCommand group() {
    return parent;
  }

  @Override
  protected void check() {
    var unused = table();
  }
}
