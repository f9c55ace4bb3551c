package io.tunnel.cli.rows;

import com.google.gson.JsonObject;
import io.tunnel.cli.arguments.KeyOption;
import io.tunnel.cli.service.TableOption;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionException;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Returned;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.stress.file.FileRows;
import io.tunnel.stress.file.RetryOption;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.stress.file.UnreadableFileException;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that writes one row, named by its key, or those of a file. */
abstract class RowsCommand extends Job {

  private final Function<ClientConfig, TableClient> connect;

  @Mixin private ServiceOptions service;
  @Mixin private KeyOption key;
  @Mixin private RowsFileOptions from;
  @Mixin private RetryOption retry;

  @Mixin private TableOption table;
  @Mixin private ReturnOption returning;

  @Option(
      names = "--if-exists",
      description = "Only if there is a row with that key; it is rejected otherwise.")
  private boolean ifExists;

  @Option(
      names = "--if",
      paramLabel = "CONDITION",
      description =
          "Change only a row of which the condition holds: version = 7 and state != \"done\"."
              + " The server rejects other rows. A missing row has its key and no other column."
              + " Takes the rights write and read.")
  private String onlyIf;

  RowsCommand(Function<ClientConfig, TableClient> connect) {
    this.connect = connect;
  }

  /** What is done, in the past tense. */
  abstract String done();

  /** What is done to the row of a key by the command line. */
  abstract RowChange one(PrimaryKey key);

  /**
   * What is done because of a row or change of a file.
   *
   * @throws IllegalArgumentException when nothing can be
   */
  abstract RowChange of(RowChange read);

  /** Whether a row of a file may add to its columns. */
  boolean mayAdd() {
    return false;
  }

  /** Whether the key of the row may leave its number to the server. */
  boolean mayBeNumbered() {
    return false;
  }

  /** Refuses options that make no sense, before anything is connected. */
  abstract void check(boolean isOfFile);

  /** What must hold of a row for it to be written. */
  RowExistenceExpectation condition() {
    return ifExists ? RowExistenceExpectation.EXPECT_EXIST : RowExistenceExpectation.IGNORE;
  }

  final boolean isIfExists() {
    return ifExists;
  }

  final boolean isJson() {
    return service.isJson();
  }

  @Override
  public final Integer call() throws Exception {
    String name = table.name();
    if (key.isGiven() == from.file().isPresent()) {
      throw CommandFailure.usage("give the --key of one row, or the file of many with --from");
    }
    if (from.isAtomic() && from.file().isEmpty()) {
      throw CommandFailure.usage("--atomic wants the file of the rows with --from");
    }
    if (returning.isGiven() && from.file().isPresent()) {
      throw CommandFailure.usage("--return is of one row, named by --key");
    }
    from.check();
    if (onlyIf != null) {
      var unused = parsed(() -> Condition.parse(onlyIf));
    }
    check(from.file().isPresent());
    try (TableClient client = connect.apply(retry.client(service.endpoint()))) {
      List<PrimaryKeySchema> schema = client.partitionMap(name).meta().primaryKey();
      ConditionPlace place = ConditionPlace.ofRows(schema);
      Optional<Condition> columns =
          Optional.ofNullable(onlyIf).map(text -> parsed(() -> Condition.parse(text, place)));
      if (from.file().isPresent()) {
        return writeFile(client, from.file().get(), schema, columns);
      }
      PrimaryKey row = (mayBeNumbered() ? key.toWrite(schema) : key.in(schema)).key();
      RowChange change =
          returning.on(
              CommandFailure.checkUsage(() -> SetColumns.requireNoKeyColumn(one(row))), schema);
      return writeOne(client, name, columns.map(change::onlyIf).orElse(change));
    }
  }

  private static Condition parsed(Supplier<Condition> parser) {
    try {
      return parser.get();
    } catch (ConditionException e) {
      throw CommandFailure.usage("--if, " + e.getMessage(), e.excerpt());
    }
  }

  /** Writes the row that the command line names; returns the exit code. */
  int writeOne(TableClient client, String name, RowChange change) throws InterruptedException {
    return write(rows -> client.tryWrite(name, rows), change);
  }

  final int write(Function<List<RowChange>, BatchWriteResult> writer, RowChange change) {
    RowResult result =
        CommandFailure.checkUsage(() -> writer.apply(List.of(change))).results().get(0);
    String row = "the row " + change.primaryKey();
    return switch (result.outcome()) {
      case APPLIED -> {
        print(change, result);
        yield ExitCode.OK;
      }
      case REJECTED -> {
        printRefused(result);
        throw rejected(row, result);
      }
      case NOT_SENT ->
          throw new CommandFailure(
              ExitCode.UNAVAILABLE, row + " was not " + done() + ": " + result.message());
      case IN_DOUBT ->
          throw new CommandFailure(
              ExitCode.FAILED,
              "IN_DOUBT",
              "it is not known whether "
                  + row
                  + " was "
                  + done()
                  + ", or still will be ("
                  + result.message()
                  + ")",
              "Look with 'tunnel tables get'");
    };
  }

  private CommandFailure rejected(String row, RowResult result) {
    String what = row + " was not " + done() + ": ";
    if (result.error().filter(ErrorCode.CONDITION_FAILED::equals).isPresent()) {
      return new CommandFailure(
          ExitCode.CONDITION_FAILED,
          what
              + switch (condition()) {
                case IGNORE -> "'" + onlyIf + "' does not hold of the row";
                case EXPECT_EXIST -> "there is none" + orElseColumns();
                case EXPECT_NOT_EXIST -> "there is one already" + orElseColumns();
              });
    }
    return new CommandFailure(
        ExitCode.FAILED,
        result.error().map(ErrorCode::name).orElse("REJECTED"),
        what + result.message(),
        "");
  }

  private String orElseColumns() {
    return onlyIf == null ? "" : ", or '" + onlyIf + "' does not hold";
  }

  private void print(RowChange change, RowResult result) {
    PrintWriter out = out();
    if (isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("applied", true);
      result.key().ifPresent(whole -> json.add("key", TypedJson.keyOf(whole)));
      json.addProperty("partition", result.partition());
      json.addProperty("position", result.position());
      ReturnOption.addTo(json, result.returned());
      out.println(json);
    } else {
      out.println(
          "row "
              + result.key().orElse(change.primaryKey())
              + " "
              + done()
              + ", position "
              + result.position()
              + " of partition "
              + result.partition());
      ReturnOption.print(out, result.returned());
    }
  }

  /** Prints what a refused row returns: the error has the reason alone. */
  private void printRefused(RowResult result) {
    if (result.returned().kind() == Returned.Kind.NOTHING) {
      return;
    }
    if (isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("applied", false);
      ReturnOption.addTo(json, result.returned());
      out().println(json);
    } else {
      ReturnOption.print(out(), result.returned());
    }
  }

  private int writeFile(
      TableClient client, RowFile file, List<PrimaryKeySchema> schema, Optional<Condition> columns)
      throws Exception {
    ManyRows many =
        new ManyRows(
            spec().commandLine(),
            done(),
            isJson(),
            new ManyRows.Files(file, from.inDoubtFile(), from.notSentFile()));
    try (FileRows rows =
        FileRows.open(
            file, from.binding(schema, key.isHashed(), mayAdd()), from.badLines(err()::println))) {
      rows.skipTo(from.afterLine());
      if (from.isAtomic()) {
        return new AtomicRows(done(), isJson(), from.inDoubtFile())
            .write(client, table.name(), changed(rows, columns), out());
      }
      return many.write(
          client.openWriter(table.name(), TableWriterConfig.DEFAULTS.stoppedByFailure()),
          changed(rows, columns),
          rows);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage());
    } catch (BadLineException e) {
      throw CommandFailure.failed(e.getMessage());
    } catch (UnreadableFileException e) {
      throw CommandFailure.io(e.getMessage());
    }
  }

  private ChangedRows changed(FileRows rows, Optional<Condition> columns) {
    return new ChangedRows(
        rows,
        read -> {
          RowChange change = of(read);
          // Both the condition of the line and that of --if.
          return Stream.concat(read.columnCondition().stream(), columns.stream())
              .reduce(Condition::and)
              .map(change::onlyIf)
              .orElse(change);
        });
  }
}
