package io.tunnel.cli.tail;

import io.tunnel.cli.arguments.KeyOption;
import io.tunnel.cli.arguments.Moments;
import io.tunnel.cli.arguments.TypedKey;
import io.tunnel.cli.service.TableOption;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.PrintWriter;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel tail}: prints changes, and disturbs no tunnel. */
@Command(
    name = "tail",
    mixinStandardHelpOptions = true,
    description = {
      "Print the changes of a table. No tunnel is needed, none is disturbed, nothing is stored.",
      "Prints existing changes in the order of their commit; with --follow, then prints new changes"
          + " as they arrive. The order inside a partition is always kept."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tail --table orders --follow",
      "  tunnel tail --table orders --from -15m --kind DELETE --json",
      "  tunnel tail --table orders --partition 3 --from 4711 --limit 1"
    })
public final class TailCommand extends Job {

  private static final long PATIENCE_MS = 5_000;

  private final LongSupplier epochMs;

  @Mixin private ServiceOptions service;
  @Mixin private KeyOption key;

  @Mixin private TableOption table;

  @Option(
      names = "--from",
      paramLabel = "START",
      description =
          "earliest: the oldest change that is kept; latest: behind the newest; the first change"
              + " at or after a moment: "
              + Moments.FORMS
              + "; or with one --partition the position of a change (default: earliest, with"
              + " --follow latest).")
  private String from;

  @Option(
      names = {"--follow", "-f"},
      description = "Go on with the changes that come, until Ctrl-C.")
  private boolean isFollowing;

  @Option(
      names = "--partition",
      paramLabel = "P",
      split = ",",
      description = "Only of these partitions, by their ids.")
  private List<Integer> partitions = List.of();

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      split = ",",
      description = "Only PUT, UPDATE or DELETE, or several with commas between them.")
  private List<RecordType> kinds = List.of();

  @Option(names = "--limit", paramLabel = "N", description = "End after N changes.")
  private Long limit;

  /** For picocli: the command on real servers. */
  public TailCommand() {
    this(System::currentTimeMillis);
  }

  TailCommand(LongSupplier epochMs) {
    this.epochMs = epochMs;
  }

  @Override
  public Integer call() throws Exception {
    String name = table.name();
    TailStart start = start();
    if (limit != null && limit < 1) {
      throw CommandFailure.usage("--limit is a number of changes from 1 on, not " + limit);
    }
    try (StopSignal signal = new StopSignal(PATIENCE_MS);
        Changes changes = Changes.open(service.endpoint(), name)) {
      TailFilter filter = filter(changes.table());
      long sentMs = epochMs.getAsLong();
      TablePositions found = changes.positions(start.moment());
      Moments.clockRemark("--from", from, found.serverMs(), sentMs, epochMs.getAsLong())
          .ifPresent(err()::println);
      err().flush();
      new TailRun(changes, lines(filter), signal::isAsked)
          .run(found, filter.partitions(), start, isFollowing);
      return signal.isAsked() ? ExitCode.INTERRUPTED : ExitCode.OK;
    } catch (RefusedException e) {
      throw explain(e);
    }
  }

  private TailStart start() {
    Moments moments = new Moments(epochMs.getAsLong(), ZoneId.systemDefault());
    String whenNotGiven = isFollowing ? "latest" : "earliest";
    return TailStart.parse(from == null ? whenNotGiven : from, partitions.size() == 1, moments);
  }

  private TailFilter filter(TableInfo description) {
    Optional<PrimaryKey> only =
        key.isGiven()
            ? Optional.of(key.in(description.meta().primaryKey())).map(TypedKey::key)
            : Optional.empty();
    Set<RecordType> printed =
        kinds.isEmpty() ? EnumSet.allOf(RecordType.class) : EnumSet.copyOf(kinds);
    return TailFilter.of(description, partitions, only, printed);
  }

  private Lines lines(TailFilter filter) {
    PrintWriter out = out();
    if (!service.isJson()) {
      out.println(ChangeText.HEADING);
    }
    return new Lines(
        filter,
        service.isJson() ? ChangeText::json : ChangeText::line,
        out,
        limit == null ? Long.MAX_VALUE : limit);
  }

  private static RuntimeException explain(RefusedException refused) {
    return refused.code() == ErrorCode.HISTORY_LOST
        ? CommandFailure.failed(
            "changes are missing here, because the table keeps them no more: "
                + refused.getMessage()
                + ". --from earliest begins with the oldest that is kept")
        : refused;
  }
}
