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
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.PrintWriter;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tunnel tail}: prints changes, and disturbs no tunnel. */
@Command(
    name = "tail",
    mixinStandardHelpOptions = true,
    description = {
      "Print the changes of a table. No tunnel is needed, none is disturbed, nothing is stored.",
      "Changes that are there already come in the order of their commit; with --follow, those that"
          + " come then are printed as they come. The order inside a partition is always kept."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tail --table orders --follow",
      "  tunnel tail --table orders --from -15m --kind DELETE --json",
      "  tunnel tail --table orders --partition 3 --from 4711 --limit 1"
    })
public final class TailCommand implements Callable<Integer> {

  private static final long PATIENCE_MS = 5_000;

  private final Changes.Connector connector;
  private final LongSupplier epochMs;

  @Spec private CommandSpec spec;
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
    this(SdkChanges::open, System::currentTimeMillis);
  }

  TailCommand(Changes.Connector connector, LongSupplier epochMs) {
    this.connector = connector;
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
        Changes changes = connector.open(service.endpoint(), name)) {
      TailFilter filter = filter(changes.table());
      new TailRun(changes, lines(filter), signal::isAsked)
          .run(filter.partitions(), start, isFollowing);
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
    PrintWriter out = spec.commandLine().getOut();
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
