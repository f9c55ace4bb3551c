package io.tunnel.cli;

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
  final TablesCommand group() {
    return parent;
  }

  @Override
  void check() {
    var unused = table();
  }
}
