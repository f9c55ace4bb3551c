package io.tunnel.cli.tunnels;

import com.google.gson.JsonObject;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Names;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Gives another tunnel the progress of this one. */
@Command(
    name = "clone",
    mixinStandardHelpOptions = true,
    description = {
      "Give another tunnel of the table the progress of this one, which stays as it is.",
      "First it shows what would happen to each channel of the other."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tunnels clone --table orders --tunnel audit --to-tunnel audit2 --create",
      "  tunnel tunnels clone --table orders --tunnel audit --to-tunnel audit2 --yes"
    })
final class CloneCommand extends MoveCommand {

  @Option(
      names = "--to-tunnel",
      required = true,
      paramLabel = "TUNNEL",
      description = "The tunnel whose progress is replaced.")
  private String target;

  @Option(
      names = "--create",
      description =
          "Create it, of the same type, if there is none; it has no progress to lose, so --yes is"
              + " not needed then.")
  private boolean create;

  /** For picocli. */
  CloneCommand() {}

  @Override
  protected void check() {
    super.check();
    var unused = CommandFailure.checkUsage(() -> Names.requireResourceName("tunnel", target));
    if (target.equals(tunnel())) {
      throw CommandFailure.usage("--to-tunnel is '" + target + "' itself: name another tunnel");
    }
  }

  @Override
  protected void run(Tunnels tunnels) {
    CheckpointSet checkpoints = tunnels.export(table(), tunnel());
    SeekTunnelRequest request = SeekTunnelRequest.toCheckpoints(table(), target, checkpoints);
    if (!create || exists(tunnels)) {
      move(tunnels, target, request);
    } else if (isDryRun()) {
      print(this::planned, () -> List.of("tunnel " + target + " would be created as a copy"));
    } else {
      createAndMove(tunnels, request);
    }
  }

  private boolean exists(Tunnels tunnels) {
    try {
      var unused = tunnels.describe(table(), target);
      return true;
    } catch (RefusedException e) {
      if (e.code() == ErrorCode.TUNNEL_NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /** What was made for this alone is taken away again when it cannot become a copy. */
  private void createAndMove(Tunnels tunnels, SeekTunnelRequest request) {
    TunnelInfo source = tunnels.describe(table(), tunnel()).getTunnelInfo();
    var created =
        tunnels.create(
            new CreateTunnelRequest(
                table(), target, source.getTunnelType(), source.getStreamTunnelConfig()));
    try {
      show(target, tunnels.seek(request), true);
    } catch (RefusedException e) {
      tunnels.delete(table(), created.getTunnelName());
      throw e;
    }
  }

  private JsonObject planned() {
    JsonObject json = new JsonObject();
    json.addProperty("table", table());
    json.addProperty("tunnel", target);
    json.addProperty("moved", false);
    json.addProperty("wouldCreate", true);
    return json;
  }
}
