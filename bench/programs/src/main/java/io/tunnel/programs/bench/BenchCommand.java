package io.tunnel.programs.bench;

import io.tunnel.cli.Program;
import io.tunnel.cli.tables.TablesCommand;
import io.tunnel.programs.bench.seeds.SeedsCommand;
import io.tunnel.terminal.CommandGroup;
import picocli.CommandLine.Command;

/** {@code tunnel bench}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description =
        "Measures what this machine can do with the service, on servers that it starts itself as"
            + " processes on loopback; leaves a page with charts.",
    subcommands = {
      QuickCommand.class,
      GrowthCommand.class,
      SoakCommand.class,
      WhitepaperCommand.class,
      PeersCommand.class,
      SeedsCommand.class
    })
public final class BenchCommand extends CommandGroup implements Program {

  /** For picocli. */
  public BenchCommand() {}

  @Override
  public Class<?> listedBefore() {
    return TablesCommand.class;
  }
}
