package io.tunnel.cli.tunnels;

import static java.util.stream.Collectors.toSet;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.sdk.checkpoint.ChannelMove;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.options.ConfirmOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A command that moves progress. It shows what would happen first, and does it only when it was
 * told so with {@code --yes}, or when the person at the terminal says so.
 */
abstract class MoveCommand extends OneTunnelCommand {

  @Mixin private ConfirmOption confirm;

  @Option(names = "--dry-run", description = "Only show what would happen.")
  private boolean dryRun;

  @Override
  protected void check() {
    super.check();
    if (confirm.isGiven() && dryRun) {
      throw CommandFailure.usage("--yes and --dry-run contradict each other: give one");
    }
  }

  /** Whether nobody needs to be asked. */
  final boolean isDecided() {
    return confirm.isGiven() || dryRun;
  }

  final boolean isDryRun() {
    return dryRun;
  }

  /** Moves, if that is wanted. */
  final void move(Service service, String tunnel, SeekTunnelRequest request) {
    if (confirm.isGiven()) {
      done(service, tunnel, seek(service, request));
      return;
    }
    SeekTunnelResponse plan = seek(service, request.dryRun(true));
    show(tunnel, plan, false);
    if (dryRun) {
      return;
    }
    confirm.require(isJson(), "nothing was moved");
    done(service, tunnel, service.seekTunnel(request));
  }

  private void done(Service service, String tunnel, SeekTunnelResponse moves) {
    show(tunnel, moves, true);
    Set<String> ids = moves.moves().stream().map(ChannelMove::channelId).collect(toSet());
    List<ChannelInfo> stopped =
        service.describeTunnel(table(), tunnel).getChannelInfos().stream()
            .filter(channel -> ids.contains(channel.getChannelId()) && channel.error().isPresent())
            .toList();
    if (!stopped.isEmpty()) {
      err()
          .println(
              "note: "
                  + stopped.size()
                  + " of these channels stopped at an error, channel "
                  + stopped.get(0).getChannelId()
                  + " for one, and a seek lets none go on: 'tunnel tunnels resume --table "
                  + table()
                  + " --tunnel "
                  + tunnel
                  + "' does");
      err().flush();
    }
  }

  private SeekTunnelResponse seek(Service service, SeekTunnelRequest request) {
    long sentMs = System.currentTimeMillis();
    SeekTunnelResponse answer = service.seekTunnel(request);
    remark(answer.serverMs(), sentMs, System.currentTimeMillis()).ifPresent(err()::println);
    err().flush();
    return answer;
  }

  /**
   * A remark about the clock of the server, which answered {@code serverMs} between {@code sentMs}
   * and {@code answeredMs} of this machine's clock; empty when no time was typed.
   */
  Optional<String> remark(long serverMs, long sentMs, long answeredMs) {
    return Optional.empty();
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
