package io.tunnel.cli.export;

import com.google.gson.JsonObject;
import io.tunnel.cli.arguments.ReadModeOption;
import io.tunnel.cli.arguments.SelectionOptions;
import io.tunnel.cli.service.TableOption;
import io.tunnel.condition.Condition;
import io.tunnel.condition.RowSelection;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.StandardStream;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.DurationConverter;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Copies the rows of a table into files. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Copy the rows of a table into a directory, one file of JSON Lines for each partition."
          + " 'tables import' writes the rows into a table of this or of another server or cluster.",
      "A row that exists during the whole export is exported once, as it was at some time during"
          + " the export. The directory has a file export.json when the export is complete; until"
          + " then --resume continues it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables export --table orders --to orders-export",
      "  tunnel tables export --table orders --to orders-export --resume",
      "  tunnel tables export --table orders --to open --where 'state = \"open\"' --columns price"
    })
public final class ExportTableCommand extends Job {

  private static final long PATIENCE_MS = 45_000;

  private final Function<ClientConfig, TableClient> connect;

  @Mixin private ServiceOptions service;
  @Mixin private TableOption table;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "DIR",
      description = "The directory of the export; created if missing, and empty.")
  private Path to;

  @Option(
      names = "--resume",
      description =
          "Continue the export in the directory that was interrupted; begin if there is none, and"
              + " do nothing if the export is complete.")
  private boolean isResumed;

  @Mixin private SelectionOptions selection;
  @Mixin private ReadModeOption mode;
  @Mixin private PartThreads.Count threads;

  @Option(
      names = "--read-retry",
      paramLabel = "TIME",
      converter = DurationConverter.OrNone.class,
      defaultValue = "120s",
      description =
          "How long a read is retried that no server answers (default: ${DEFAULT-VALUE}).")
  private Duration retry;

  /** For picocli: the command on real servers. */
  public ExportTableCommand() {
    this(TableClient::connect);
  }

  ExportTableCommand(Function<ClientConfig, TableClient> connect) {
    this.connect = connect;
  }

  @Override
  public Integer call() throws Exception {
    String name = table.name();
    threads.check();
    selection.check();
    if (StandardStream.is(to)) {
      throw CommandFailure.usage(
          "--to is a directory; 'tables scan --limit all --json' prints the rows to a pipe");
    }
    ClientConfig config = ClientConfig.of(service.endpoint()).withRetryDeadline(retry);
    try (TableClient client = connect.apply(config)) {
      TableInfo found = client.describeTable(name);
      RowSelection selected = selection.of(found.meta().primaryKey());
      try (ExportDirectory directory = ExportDirectory.open(to)) {
        ExportFile begun = begin(directory, found, recorded(selected));
        if (directory.isComplete()) {
          report(begun);
          return ExitCode.OK;
        }
        return export(
            client, directory, begun, found, new ExportRun.Reading(selected, mode.mode()));
      }
    }
  }

  private static ExportFile.Selection recorded(RowSelection selection) {
    return new ExportFile.Selection(
        selection.condition().map(Condition::text), selection.columns());
  }

  /** A new export, or the one that is resumed. */
  private ExportFile begin(
      ExportDirectory directory, TableInfo found, ExportFile.Selection selected)
      throws IOException {
    Optional<ExportFile> begun = directory.begun();
    if (begun.isEmpty()) {
      return ExportFile.begin(found, selected, System.currentTimeMillis());
    }
    if (!isResumed) {
      throw CommandFailure.failed(
          "'"
              + to
              + "' has "
              + (directory.isComplete()
                  ? "a complete export: name another directory"
                  : "an export that is not complete: --resume continues it, or name another"
                      + " directory"));
    }
    ExportFile.Source source = begun.get().source();
    if (!source.isTable(found) || !source.table().name().equals(found.meta().name())) {
      throw CommandFailure.failed(
          "'"
              + to
              + "' has an export of "
              + (source.table().name().equals(found.meta().name())
                  ? "a former table '" + source.table().name() + "', or of one on another server"
                  : "table '" + source.table().name() + "'")
              + ": name another directory");
    }
    if (!begun.get().selection().equals(selected)) {
      throw CommandFailure.failed(
          "'"
              + to
              + "' has an export of "
              + begun.get().selection().text()
              + ", and not of "
              + selected.text()
              + ": name the same --where and --columns, or another directory");
    }
    return begun.get();
  }

  private int export(
      TableClient client,
      ExportDirectory directory,
      ExportFile begun,
      TableInfo found,
      ExportRun.Reading reading)
      throws Exception {
    Screen screen = Screen.standardError(err(), System.getenv());
    ExportFile exported;
    boolean isInterrupted;
    try (StopSignal signal = new StopSignal(PATIENCE_MS)) {
      try (ProgressBar bar =
          new ProgressBar("exporting", "rows", rows(begun, found), screen, System::nanoTime)) {
        bar.begunAt(begun.rows());
        ExportRun.Screening screening =
            new ExportRun.Screening(
                bar, line -> bar.above(() -> err().println(line)), System::nanoTime);
        exported =
            new ExportRun(client, directory, begun, reading, screening)
                .run(threads.threads(), signal);
      } catch (Exception | Error e) {
        err().println("the export is not complete: --resume continues it");
        throw e;
      }
      isInterrupted = !exported.isComplete();
      report(exported);
    }
    return isInterrupted ? ExitCode.INTERRUPTED : ExitCode.OK;
  }

  /** About how many rows there will be; unknown with a condition. */
  private static OptionalLong rows(ExportFile begun, TableInfo found) {
    return begun.selection().where().isPresent()
        ? OptionalLong.empty()
        : OptionalLong.of(
            found.partitions().stream()
                .flatMap(partition -> partition.figures().stream())
                .mapToLong(PartitionFigures::rowCount)
                .sum());
  }

  private void report(ExportFile exported) {
    Objects.requireNonNull(exported, "exported");
    if (service.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("table", table.name());
      json.addProperty("directory", to.toString());
      json.addProperty("isComplete", exported.isComplete());
      json.addProperty("rows", exported.rows());
      json.addProperty("bytes", exported.bytes());
      json.addProperty("parts", exported.parts().size());
      out().println(json);
      return;
    }
    out()
        .println(
            "table "
                + table.name()
                + (exported.isComplete() ? " exported to " : " exported in part to ")
                + to
                + ": "
                + Human.counted(exported.rows(), "row")
                + ", "
                + Human.bytes(exported.bytes())
                + " in "
                + Human.counted(exported.parts().size(), "part")
                + (exported.isComplete() ? "" : "; --resume continues it"));
  }
}
