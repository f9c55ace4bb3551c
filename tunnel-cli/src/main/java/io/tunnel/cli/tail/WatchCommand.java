package io.tunnel.cli.tail;

import io.tunnel.cli.arguments.KeyOption;
import io.tunnel.cli.service.TableOption;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.Watch;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchEvent;
import io.tunnel.sdk.watch.WatchPosition;
import io.tunnel.sdk.watch.WatchedKeys;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel watch}: prints the changes of some keys as they come. */
@Command(
    name = "watch",
    mixinStandardHelpOptions = true,
    description = {
      "Print the changes of a row, or of all rows whose keys begin alike, as they come. The server"
          + " sends these changes and no others. No tunnel is needed, and nothing is stored.",
      "At the end, says on stderr where --from goes on without a gap."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel watch --table config --key path=/app/port",
      "  tunnel watch --table config --prefix /app/ --from rows",
      "  tunnel watch --table config --prefix /app/ --keys-only --limit 1 --json"
    })
public final class WatchCommand extends Job {

  private static final long PATIENCE_MS = 5_000;

  /** How long it takes at most until somebody who wants it to stop is noticed. */
  private static final Duration LOOK = Duration.ofMillis(100);

  /** Somebody waits at a terminal: a service that is away so long is told. */
  private static final Duration OUTAGE_MAX = Duration.ofSeconds(30);

  private static final Duration RETRY_DEADLINE = Duration.ofSeconds(2);

  @Mixin private ServiceOptions service;
  @Mixin private KeyOption key;
  @Mixin private TableOption table;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description =
          "Rows whose first key column, a STRING, begins so; '' for all rows. Several may be"
              + " given, also beside a --key.")
  private List<String> prefixes = List.of();

  @Option(
      names = "--from",
      paramLabel = "START",
      defaultValue = "now",
      description =
          "now: changes from now on; rows: the present rows first; or what an earlier watch of the"
              + " same keys has printed at its end (default: ${DEFAULT-VALUE}).")
  private String from;

  @Option(names = "--keys-only", description = "Print no columns; the server does not send them.")
  private boolean isKeysOnly;

  @Option(names = "--limit", paramLabel = "N", description = "End after N rows and changes.")
  private Long limit;

  /** For picocli. */
  public WatchCommand() {}

  @Override
  public Integer call() throws Exception {
    if (limit != null && limit < 1) {
      throw CommandFailure.usage("--limit is a number of changes from 1 on, not " + limit);
    }
    if (!key.isGiven() && prefixes.isEmpty()) {
      throw CommandFailure.usage(
          "give the --key of a row, or a --prefix of keys; --prefix '' is all rows");
    }
    WatchConfig how = how();
    ClientConfig config = ClientConfig.of(service.endpoint()).withRetryDeadline(RETRY_DEADLINE);
    try (StopSignal signal = new StopSignal(PATIENCE_MS);
        TableClient client = TableClient.connect(config);
        Watch watch = open(client, how)) {
      boolean areAllPrinted = print(watch, signal);
      watch
          .position()
          .filter(seen -> areAllPrinted)
          .ifPresent(seen -> err().println("go on with --from " + seen));
      err().flush();
      return signal.isAsked() ? ExitCode.INTERRUPTED : ExitCode.OK;
    } catch (RefusedException e) {
      throw explain(e);
    }
  }

  private WatchConfig how() {
    WatchConfig how = WatchConfig.FROM_NOW.withOutageMax(OUTAGE_MAX);
    if (from.equals("rows")) {
      how = how.withRows();
    } else if (!from.equals("now")) {
      try {
        how = how.behind(WatchPosition.parse(from));
      } catch (IllegalArgumentException e) {
        throw CommandFailure.usage("--from is now, rows or a position: " + e.getMessage());
      }
    }
    return isKeysOnly ? how.withKeysOnly() : how;
  }

  private Watch open(TableClient client, WatchConfig how) {
    List<PrimaryKeySchema> schema = client.primaryKeyOf(table.name());
    List<WatchedKeys> parts = new ArrayList<>();
    if (key.isGiven()) {
      parts.add(WatchedKeys.key(key.in(schema).key()));
    }
    if (!prefixes.isEmpty() && schema.get(0).type() != PrimaryKeyType.STRING) {
      if (!prefixes.equals(List.of(""))) {
        throw CommandFailure.usage(
            "--prefix is of a STRING, and the first key column '"
                + schema.get(0).name()
                + "' is "
                + schema.get(0).type()
                + "; --prefix '' is all rows");
      }
      parts.add(WatchedKeys.leading(List.of()));
    } else {
      prefixes.forEach(prefix -> parts.add(WatchedKeys.prefix(prefix)));
    }
    WatchedKeys keys = parts.stream().reduce(WatchedKeys::and).orElseThrow();
    try {
      return client.watch(table.name(), keys, how);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage());
    }
  }

  /** False when more was taken than --limit lets it print: the position is behind all of that. */
  private boolean print(Watch watch, StopSignal signal) throws InterruptedException {
    PrintWriter out = out();
    if (!service.isJson()) {
      out.println(ChangeText.HEADING);
      out.flush();
    }
    Optional<Long> most = Optional.ofNullable(limit);
    long printed = 0;
    long taken = 0;
    boolean hasReader = true;
    boolean hadAllRows = watch.hasAllRows();
    while (!signal.isAsked() && hasReader && printed < most.orElse(Long.MAX_VALUE)) {
      for (WatchEvent event : watch.poll(LOOK)) {
        taken++;
        if (printed < most.orElse(Long.MAX_VALUE)) {
          out.println(service.isJson() ? ChangeText.json(event) : ChangeText.line(event));
          printed++;
        }
      }
      hasReader = !out.checkError();
      if (!hadAllRows && watch.hasAllRows()) {
        hadAllRows = true;
        err().println("all present rows are printed; rows that are not among them do not exist");
        err().flush();
      }
    }
    return taken == printed;
  }

  private static RuntimeException explain(RefusedException refused) {
    if (refused.code() == ErrorCode.HISTORY_LOST) {
      return CommandFailure.failed(
          "changes are missing here, because the table no longer keeps them: "
              + refused.getMessage()
              + ". Start again --from rows; rows that --from rows does not print were deleted meanwhile");
    }
    return refused.code() == ErrorCode.UNKNOWN_OPERATION
        ? CommandFailure.failed("the server is older than this program, and has no watches")
        : refused;
  }
}
