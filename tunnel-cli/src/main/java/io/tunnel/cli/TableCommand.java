package io.tunnel.cli;

import picocli.CommandLine.Mixin;

/** A command about one table. */
abstract class TableCommand extends ServiceCommand<Tables> {

  @Mixin private TableOption table;

  final String table() {
    return table.name();
  }

  @Override
  void check() {
    var unused = table();
  }
}
