package io.tunnel.cli.rows;

import com.google.gson.JsonObject;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.Returned;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.CommandFailure;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a command that changes one row prints of the row. */
final class ReturnOption {

  private static final List<String> KEY = List.of("key");

  @Option(
      names = "--return",
      paramLabel = "NAME",
      split = ",",
      description =
          "Print the row's key and these columns as the change leaves them, or as they are when a"
              + " condition refuses the change; 'key' for the key alone. Columns take the rights"
              + " write and read.")
  private List<String> names = List.of();

  /** For picocli. */
  ReturnOption() {}

  boolean isGiven() {
    return !names.isEmpty();
  }

  /** The change, to a row of a table with this key, that returns what the option asks for. */
  RowChange on(RowChange change, List<PrimaryKeySchema> schema) {
    return isGiven()
        ? CommandFailure.checkUsage(() -> change.returning(returning().require(schema)))
        : change;
  }

  private Returning returning() {
    return names.equals(KEY) ? Returning.KEY : Returning.columns(names);
  }

  /** Notes in an object of {@code --json} what was returned. */
  static void addTo(JsonObject json, Returned returned) {
    if (returned.row().isPresent()) {
      json.add("returned", TypedJson.of(returned.row().get()));
    } else if (returned.kind() != Returned.Kind.NOTHING) {
      json.addProperty("returned", returned.kind().name().toLowerCase(Locale.ROOT));
    }
  }

  /** Prints for people what was returned. */
  static void print(PrintWriter out, Returned returned) {
    returned.row().ifPresent(row -> RowReport.lines(row).forEach(out::println));
    remark(returned.kind()).ifPresent(out::println);
  }

  private static Optional<String> remark(Returned.Kind kind) {
    return switch (kind) {
      case NOTHING, ROW -> Optional.empty();
      case ABSENT -> Optional.of("there is no row");
      case NOT_KEPT ->
          Optional.of("the answer came again without columns; 'tunnel tables get' reads the row");
      case TOO_LARGE ->
          Optional.of("the columns are too large for an answer; 'tunnel tables get' reads the row");
    };
  }
}
