package io.tunnel.cli.tunnels;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.terminal.StandardStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes progress to a file. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = "Write the progress of all channels, as JSON, for import.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel tunnels export --table orders --tunnel audit --out audit.json")
final class ExportCommand extends OneTunnelCommand {

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "A file that does not exist yet, or - for standard output (default: -).")
  private Path file;

  /** For picocli. */
  ExportCommand() {}

  @Override
  protected void run(Service service) throws IOException {
    CheckpointFile export =
        CheckpointFile.of(service.exportCheckpoints(table(), tunnel()), System.currentTimeMillis());
    if (file == null || StandardStream.is(file)) {
      out().println(export.text());
      return;
    }
    export.write(file);
    int channels = export.checkpoints().channels().size();
    print(
        () -> exported(channels),
        () ->
            List.of(
                "progress of "
                    + name()
                    + " exported to "
                    + file
                    + ": "
                    + channels
                    + (channels == 1 ? " channel" : " channels")));
  }

  private JsonObject exported(int channels) {
    JsonObject json = json();
    json.addProperty("file", file.toString());
    json.addProperty("channels", channels);
    return json;
  }
}
