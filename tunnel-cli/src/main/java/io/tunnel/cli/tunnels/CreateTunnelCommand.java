package io.tunnel.cli.tunnels;

import io.tunnel.cli.arguments.Moments;
import io.tunnel.cli.service.Service;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.terminal.CommandFailure;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Creates a tunnel. */
@Command(
    name = "create",
    mixinStandardHelpOptions = true,
    description = "Create a tunnel that delivers a table's rows, its changes, or both.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tunnels create --table orders --tunnel audit --start earliest",
      "  tunnel tunnels create --table orders --tunnel copy --type BaseAndStream",
      "  tunnel tunnels create --table orders --tunnel replay --start -1d --end -6h"
    })
final class CreateTunnelCommand extends OneTunnelCommand {

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "Stream",
      description =
          "BaseData: the rows that exist; Stream: changes; BaseAndStream: the rows, then their"
              + " changes, without a gap (default: ${DEFAULT-VALUE}).")
  private TunnelType type;

  @Option(
      names = "--start",
      paramLabel = "START",
      description =
          "Stream only. earliest: with the oldest change that is kept; latest: with the first"
              + " after this moment (the default); or a moment: "
              + Moments.FORMS
              + ".")
  private String start;

  @Option(
      names = "--end",
      paramLabel = "TIME",
      description = "Stream only. End before the first change at or after this moment.")
  private String end;

  private CreateTunnelRequest request;

  /** For picocli. */
  CreateTunnelCommand() {}

  @Override
  protected void check() {
    super.check();
    if (type != TunnelType.Stream && (start != null || end != null)) {
      throw CommandFailure.usage(
          "--start and --end are for --type Stream: "
              + type
              + " starts with the rows that exist now");
    }
    request =
        CommandFailure.checkUsage(() -> new CreateTunnelRequest(table(), tunnel(), type, stream()));
  }

  private StreamTunnelConfig stream() {
    Moments moments = new Moments(System.currentTimeMillis(), ZoneId.systemDefault());
    Optional<StreamStart> edge = Moments.edge(start == null ? "latest" : start);
    StreamTunnelConfig from =
        edge.map(StreamTunnelConfig::of)
            .orElseGet(
                () ->
                    StreamTunnelConfig.fromTime(
                        moments.parse("--start", start, "earliest, latest, ")));
    if (end == null) {
      return from;
    }
    long endMs = moments.parse("--end", end, "");
    if (from.startOffset().filter(startMs -> startMs >= endMs).isPresent()) {
      throw new IllegalArgumentException(
          "--end '" + end + "' is not after --start '" + start + "'");
    }
    return from.withEnd(endMs);
  }

  @Override
  protected void run(Service service) {
    long sentMs = System.currentTimeMillis();
    TunnelInfo created = service.createTunnel(request);
    long answeredMs = System.currentTimeMillis();
    long serverMs = created.getCreateTime();
    Moments.clockRemark("--start", start, serverMs, sentMs, answeredMs).ifPresent(err()::println);
    Moments.clockRemark("--end", end, serverMs, sentMs, answeredMs).ifPresent(err()::println);
    print(
        () -> TunnelJson.json(created),
        () -> List.of(name() + " created, " + TunnelReport.kind(created)));
  }
}
