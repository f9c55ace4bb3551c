package io.tunnel.cli.service;

import io.tunnel.model.Names;
import io.tunnel.terminal.CommandFailure;
import picocli.CommandLine.Option;

/** The option {@code --table}. */
public final class TableOption {

  @Option(names = "--table", required = true, paramLabel = "TABLE", description = "The table.")
  private String table;

  /** For picocli. */
  TableOption() {}

  /** The name; a usage error when no table can be called so. */
  public String name() {
    return CommandFailure.checkUsage(() -> Names.requireResourceName("table", table));
  }
}
