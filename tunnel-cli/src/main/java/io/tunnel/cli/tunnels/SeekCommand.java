package io.tunnel.cli.tunnels;

import io.tunnel.cli.arguments.Moments;
import io.tunnel.cli.service.Service;
import io.tunnel.model.StreamStart;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.terminal.CommandFailure;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Rewinds or skips. */
@Command(
    name = "seek",
    mixinStandardHelpOptions = true,
    description = {
      "Move the progress of stream channels back, so that changes are delivered again, or on, so"
          + " that some are skipped. Workers may run meanwhile: no stale checkpoint undoes it.",
      "First shows the effect on each channel."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tunnels seek --table orders --tunnel audit --to -1d",
      "  tunnel tunnels seek --table orders --tunnel audit --to latest --yes",
      "  tunnel tunnels seek --table orders --tunnel audit --to position:4711 \\",
      "      --channel 3_t2-hocsxhp1uj"
    })
final class SeekCommand extends MoveCommand {

  private static final String POSITION = "position:";

  @Mixin private ChannelsOption channels;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "TARGET",
      description =
          "earliest: the oldest change that is kept; latest: behind the newest; position:N: behind"
              + " a position of one channel; or the first change at or after a moment: "
              + Moments.FORMS
              + ".")
  private String to;

  private SeekTunnelRequest request;

  /** For picocli. */
  SeekCommand() {}

  @Override
  protected void check() {
    super.check();
    request =
        to.toLowerCase(Locale.ROOT).startsWith(POSITION)
            ? toPosition(to.substring(POSITION.length()))
            : toMoment().withChannels(channels.ids());
  }

  private SeekTunnelRequest toPosition(String text) {
    if (!text.matches("[0-9]{1,18}")) {
      throw CommandFailure.usage(
          "--to " + POSITION + "N has a number from 0 on, not '" + text + "'");
    }
    if (channels.ids().size() != 1) {
      throw CommandFailure.usage(
          "a position is one of a single channel: name that with --channel ID (describe lists"
              + " them)");
    }
    return SeekTunnelRequest.toPosition(
        table(), tunnel(), channels.ids().get(0), Long.parseLong(text));
  }

  private SeekTunnelRequest toMoment() {
    Optional<StreamStart> edge = Moments.edge(to);
    if (edge.isPresent()) {
      return edge.get() == StreamStart.EARLIEST
          ? SeekTunnelRequest.toEarliest(table(), tunnel())
          : SeekTunnelRequest.toLatest(table(), tunnel());
    }
    Moments moments = new Moments(System.currentTimeMillis(), ZoneId.systemDefault());
    long timeMs =
        CommandFailure.checkUsage(
            () -> moments.parse("--to", to, "earliest, latest, position:N, "));
    return SeekTunnelRequest.toTime(table(), tunnel(), timeMs);
  }

  @Override
  Optional<String> remark(long serverMs, long sentMs, long answeredMs) {
    return Moments.clockRemark("--to", to, serverMs, sentMs, answeredMs);
  }

  @Override
  protected void run(Service service) {
    move(service, tunnel(), request);
  }
}
