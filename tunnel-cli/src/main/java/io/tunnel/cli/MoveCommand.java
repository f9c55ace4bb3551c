package io.tunnel.cli;

import com.google.gson.JsonObject;
import io.tunnel.sdk.SeekTunnelRequest;
import io.tunnel.sdk.SeekTunnelResponse;
import io.tunnel.terminal.CommandFailure;
import picocli.CommandLine.Option;

/**
 * A command that moves progress. It shows what would happen first, and does it only when it was
 * told so with {@code --yes}, or when the person at the terminal says so.
 */
abstract class MoveCommand extends OneTunnelCommand {

  @Option(names = "--yes", description = "Really do it; without it the terminal is asked, if any.")
  private boolean yes;

  @Option(names = "--dry-run", description = "Only show what would happen.")
  private boolean dryRun;

  @Override
  void check() {
    super.check();
    if (yes && dryRun) {
      throw CommandFailure.usage("--yes and --dry-run contradict each other: give one");
    }
  }

  final boolean isDryRun() {
    return dryRun;
  }

  /** Moves, if that is wanted. */
  final void move(Tunnels tunnels, String tunnel, SeekTunnelRequest request) {
    if (yes) {
      show(tunnel, tunnels.seek(request), true);
      return;
    }
    SeekTunnelResponse plan = tunnels.seek(request.dryRun(true));
    show(tunnel, plan, false);
    if (dryRun) {
      return;
    }
    if (!confirms()) {
      throw CommandFailure.usage("nothing was moved: add --yes to do it");
    }
    show(tunnel, tunnels.seek(request), true);
  }

  /** A program is never asked: it would wait for ever. */
  private boolean confirms() {
    return !isJson() && group().prompt().confirms("Do it?");
  }

  final void show(String tunnel, SeekTunnelResponse moves, boolean isDone) {
    print(() -> json(tunnel, moves, isDone), () -> MoveReport.lines(moves, isDone));
  }

  private JsonObject json(String tunnel, SeekTunnelResponse moves, boolean isDone) {
    JsonObject json = new JsonObject();
    json.addProperty("table", table());
    json.addProperty("tunnel", tunnel);
    json.addProperty("moved", isDone);
    MoveReport.addTo(json, moves);
    return json;
  }
}
