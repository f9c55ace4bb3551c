package io.tunnel.cli.export;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.TableOption;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.partition.tool.KeyText;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableDifference;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.stress.OutcomeText;
import io.tunnel.stress.file.InDoubtFile;
import io.tunnel.stress.file.RetryOption;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the rows of an export into a table. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    description = {
      "Write the rows of a directory of 'tables export' into a table. First compares all files with"
          + " their checksums: nothing of a damaged export is written.",
      "Each row replaces the row of its key, so an import may be repeated. Commit times, and the"
          + " lives of rows in a table with a time to live, begin anew."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables import --table orders --from orders-export --create",
      "  tunnel tables import --table copy --from orders-export --progress copy.progress"
    })
public final class ImportTableCommand extends Job {

  private static final long PATIENCE_MS = 45_000;

  private final Function<ClientConfig, TableClient> connect;

  @Mixin private ServiceOptions service;
  @Mixin private TableOption table;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "DIR",
      description = "The directory of a complete export; nothing in it is changed.")
  private Path from;

  @Option(
      names = "--create",
      description =
          "Create the table if it is missing: with key, options and split points of the export.")
  private boolean create;

  @Option(
      names = "--progress",
      paramLabel = "FILE",
      description =
          "Keeps how far the import is. A second import with the file continues the first; without"
              + " it, an import begins with the first row.")
  private Path progress;

  @Option(
      names = "--rejects",
      paramLabel = "FILE",
      description = "Where to write rows that the server rejects, for 'tables put --from'.")
  private Path rejects;

  @Option(
      names = "--rejects-max",
      paramLabel = "N",
      defaultValue = "100",
      description = "Stop when more rows were rejected (default: ${DEFAULT-VALUE}).")
  private long rejectsMax;

  @Mixin private PartThreads.Count threads;
  @Mixin private RetryOption retry;

  /** For picocli: the command on real servers. */
  public ImportTableCommand() {
    this(TableClient::connect);
  }

  ImportTableCommand(Function<ClientConfig, TableClient> connect) {
    this.connect = connect;
  }

  @Override
  public Integer call() throws Exception {
    var unused = table.name();
    threads.check();
    CommandFailure.requireRange("--rejects-max", rejectsMax, 0, Long.MAX_VALUE);
    if (progress != null && progress.equals(rejects)) {
      throw CommandFailure.usage("--progress and --rejects name one file: name two");
    }
    ExportFile export = ExportDirectory.complete(from);
    try (TableClient client = connect.apply(retry.client(service.endpoint()));
        StopSignal signal = new StopSignal(PATIENCE_MS)) {
      CreateTableRequest request = export.source().requestFor(table.name());
      Optional<TableInfo> existing = existing(client, request);
      // Before the files are read, which may take long.
      ImportProgress begun =
          existing.isPresent() && progress != null
              ? ImportProgress.read(progress, export, existing.get())
              : null;
      if (!isSound(export, signal)) {
        err().println("interrupted; nothing was imported");
        return ExitCode.INTERRUPTED;
      }
      TableInfo found = existing.isPresent() ? existing.get() : created(client, request);
      note(export, found.comparedWith(request));
      return write(
          client,
          new ImportRun.Source(
              from,
              export,
              found.meta().primaryKey(),
              begun == null ? ImportProgress.begin(export, found) : begun),
          signal);
    }
  }

  private boolean isSound(ExportFile export, StopSignal signal) throws Exception {
    try (ProgressBar bar =
        new ProgressBar(
            "checking",
            "bytes",
            OptionalLong.of(export.bytes()),
            Screen.standardError(err(), System.getenv()),
            System::nanoTime)) {
      return new ExportCheck(from, export, bar).run(threads.threads(), signal);
    }
  }

  /** Says where the table that is written differs from the table that was exported. */
  private void note(ExportFile export, TableInfo found) {
    for (TableDifference difference : found.differences()) {
      err()
          .println("note: table " + table.name() + " differs from the exported one: " + difference);
    }
    if (!export.selection().isAll()) {
      err().println("note: the export has " + export.selection().text());
    }
  }

  private TableInfo requireKey(TableInfo found, CreateTableRequest request) {
    List<PrimaryKeySchema> key = found.meta().primaryKey();
    List<PrimaryKeySchema> exported = request.meta().primaryKey();
    if (!withoutAuto(key).equals(withoutAuto(exported))) {
      throw new CommandFailure(
          ExitCode.FAILED,
          "KEY_DIFFERS",
          "table '"
              + table.name()
              + "' has the key "
              + KeyText.formatSchema(key)
              + ", and the exported table has "
              + KeyText.formatSchema(exported)
              + "; nothing was imported",
          "Name a table with the key of the export");
    }
    return found;
  }

  /** Whether the server numbers a column does not matter to a row that names its number. */
  private static List<PrimaryKeySchema> withoutAuto(List<PrimaryKeySchema> key) {
    return key.stream().map(column -> new PrimaryKeySchema(column.name(), column.type())).toList();
  }

  /** The table; empty when it is missing and is to be created. */
  private Optional<TableInfo> existing(TableClient client, CreateTableRequest request) {
    try {
      return Optional.of(requireKey(client.partitionMap(table.name()), request));
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.TABLE_NOT_FOUND) {
        throw e;
      }
      if (!create) {
        throw new CommandFailure(
            ExitCode.NOT_FOUND, e.code().name(), e.getMessage(), "--create creates the table");
      }
      return Optional.empty();
    }
  }

  private TableInfo created(TableClient client, CreateTableRequest request) {
    try {
      return client.createTable(request);
    } catch (RefusedException e) {
      if (e.code() == ErrorCode.TABLE_EXISTS) { // Somebody was faster.
        return requireKey(client.partitionMap(table.name()), request);
      }
      throw new CommandFailure(
          ExitCode.FAILED,
          e.code().name(),
          "table '" + table.name() + "' cannot be created as it was exported: " + e.getMessage(),
          "Create it with 'tunnel tables create' and other options, and import without --create");
    }
  }

  private int write(TableClient client, ImportRun.Source source, StopSignal signal)
      throws Exception {
    try (InDoubtFile rejected = rejectsFile(source.done());
        TableWriter writer =
            client.openWriter(table.name(), TableWriterConfig.DEFAULTS.stoppedByFailure())) {
      ImportRun run;
      try (ProgressBar bar =
          new ProgressBar(
              "importing",
              "rows",
              OptionalLong.of(source.export().rows()),
              Screen.standardError(err(), System.getenv()),
              System::nanoTime)) {
        bar.begunAt(source.done().rows());
        run =
            new ImportRun(
                writer, source, new ImportRun.Rejects(rejected, rejectsMax), bar, System::nanoTime);
        run.run(
            threads.threads(),
            signal,
            now -> {
              if (progress != null) {
                now.write(progress);
              }
            });
      }
      report(source, run);
      return exitCode(source, run, signal);
    }
  }

  private InDoubtFile rejectsFile(ImportProgress begun) throws IOException {
    if (rejects == null) {
      return null;
    }
    return begun.rows() > 0 ? InDoubtFile.append(rejects) : new InDoubtFile(rejects);
  }

  private static int exitCode(ImportRun.Source source, ImportRun run, StopSignal signal) {
    ImportProgress now = run.progress();
    if (signal.isAsked() && now.rows() < source.export().rows()) {
      return ExitCode.INTERRUPTED;
    }
    if (run.count(Outcome.NOT_SENT) + run.count(Outcome.IN_DOUBT) > 0) {
      return ExitCode.UNAVAILABLE;
    }
    return now.rejected() > 0 ? ExitCode.FAILED : ExitCode.OK;
  }

  private void report(ImportRun.Source source, ImportRun run) {
    ImportProgress now = run.progress();
    long left = source.export().rows() - now.rows();
    long applied = run.count(Outcome.APPLIED);
    if (service.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("table", table.name());
      json.addProperty("directory", from.toString());
      json.addProperty("isComplete", left == 0);
      json.addProperty("rows", source.export().rows());
      json.addProperty("doneBefore", source.done().rows());
      json.addProperty("applied", applied);
      json.addProperty("rejected", run.count(Outcome.REJECTED));
      json.addProperty("notSent", run.count(Outcome.NOT_SENT));
      json.addProperty("inDoubt", run.count(Outcome.IN_DOUBT));
      json.addProperty("left", left);
      out().println(json);
    } else {
      out()
          .println(
              Human.counted(applied, "row")
                  + " of "
                  + from
                  + " imported into table "
                  + table.name()
                  + (source.done().rows() == 0
                      ? ""
                      : "; " + Human.count(source.done().rows()) + " before"));
    }
    for (Outcome outcome : List.of(Outcome.REJECTED, Outcome.NOT_SENT, Outcome.IN_DOUBT)) {
      if (run.count(outcome) > 0) {
        err().println(OutcomeText.of(outcome, run.count(outcome)));
      }
    }
    run.examples().forEach(example -> err().println("  " + example));
    if (left > 0) {
      err().println(howToContinue(left));
    }
    err().flush();
  }

  private String howToContinue(long left) {
    return Human.counted(left, "row")
        + (left == 1 ? " is left; " : " are left; ")
        + (progress == null
            ? "the command imports from the first row when it is repeated (--progress FILE"
                + " continues)"
            : "the command continues when it is repeated");
  }
}
