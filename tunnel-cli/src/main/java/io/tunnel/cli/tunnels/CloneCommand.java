package io.tunnel.cli.tunnels;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Names;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Copies the progress of one tunnel to another tunnel of the table. */
@Command(
    name = "clone",
    mixinStandardHelpOptions = true,
    description = {
      "Copy the progress of a tunnel to another tunnel of the table.",
      "First shows the effect on each channel of the target."
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
          "Create the target tunnel, of the type of --tunnel, if it does not exist. A new tunnel has"
              + " no progress to lose, so --yes is not needed.")
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
  protected void run(Service service) {
    CheckpointSet checkpoints = service.exportCheckpoints(table(), tunnel());
    SeekTunnelRequest request = SeekTunnelRequest.toCheckpoints(table(), target, checkpoints);
    if (!create || exists(service)) {
      move(service, target, request);
    } else if (isDryRun()) {
      print(this::planned, () -> List.of("tunnel " + target + " would be created as a copy"));
    } else {
      createAndMove(service, request);
    }
  }

  private boolean exists(Service service) {
    try {
      var unused = service.describeTunnel(table(), target);
      return true;
    } catch (RefusedException e) {
      if (e.code() == ErrorCode.TUNNEL_NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Creates the target and gives it the progress. The server has no operation that does both, so a
   * target whose seek fails, or whose seek has an unknown outcome, is deleted again: it was made
   * for this copy alone. A crash of this process between the two requests leaves the target.
   */
  private void createAndMove(Service service, SeekTunnelRequest request) {
    TunnelInfo source = service.describeTunnel(table(), tunnel()).getTunnelInfo();
    var created =
        service.createTunnel(
            new CreateTunnelRequest(
                table(), target, source.getTunnelType(), source.getStreamTunnelConfig()));
    SeekTunnelResponse moves;
    try {
      moves = service.seekTunnel(request);
    } catch (RefusedException | ConnectionException e) {
      delete(service, created.getTunnelName(), e);
      throw e;
    }
    show(target, moves, true);
  }

  /** Deletes the target; says how to delete the target when that fails, too. */
  private void delete(Service service, String made, RuntimeException failure) {
    try {
      service.deleteTunnel(table(), made);
    } catch (RefusedException | ConnectionException e) {
      failure.addSuppressed(e);
      err()
          .println(
              "tunnel "
                  + made
                  + " was created for the copy, has not got the progress, and cannot be deleted ("
                  + e.getMessage()
                  + "): 'tunnel tunnels delete --table "
                  + table()
                  + " --tunnel "
                  + made
                  + "' deletes it");
      err().flush();
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
