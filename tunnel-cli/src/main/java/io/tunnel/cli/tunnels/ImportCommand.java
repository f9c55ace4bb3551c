package io.tunnel.cli.tunnels;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StandardStream;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Brings exported progress back. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    description = {
      "Give a tunnel the progress that was exported, from it or from another tunnel of its table.",
      "First shows the effect on each channel."
    },
    footerHeading = "%nExample:%n",
    footer = "  tunnel tunnels import --table orders --tunnel audit --in audit.json")
final class ImportCommand extends MoveCommand {

  @Option(
      names = "--in",
      required = true,
      paramLabel = "FILE",
      description = "What 'tunnel tunnels export' wrote, or - for standard input.")
  private Path file;

  /** For picocli. */
  ImportCommand() {}

  @Override
  protected void check() {
    super.check();
    if (StandardStream.is(file) && !isDecided()) {
      throw CommandFailure.usage(
          "standard input is the file, so nobody can be asked: add --yes or --dry-run");
    }
  }

  @Override
  protected void run(Service service) throws IOException {
    CheckpointFile export = CheckpointFile.read(file);
    move(
        service,
        tunnel(),
        SeekTunnelRequest.toCheckpoints(table(), tunnel(), export.checkpoints()));
  }
}
