package io.tunnel.cli.arguments;

import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionException;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Which of the rows that a command finds are given, and what of each row. */
public final class SelectionOptions {

  @Option(
      names = "--where",
      paramLabel = "CONDITION",
      description =
          "Only rows of which this holds, such as: price >= 1.5 and (not exists state or name"
              + " starts with \"A\"). The server judges the rows.")
  private String where;

  @Option(
      names = "--columns",
      paramLabel = "NAME",
      split = ",",
      description = "Only these columns, and the key; '' for the key alone.")
  private List<String> columns;

  @Option(
      names = "--commit-time",
      description =
          "Also when each row was changed last; in JSON as commitMicros, microseconds since 1970.")
  private boolean hasCommitTime;

  /** For picocli. */
  SelectionOptions() {}

  public boolean hasCondition() {
    return where != null;
  }

  public boolean hasCommitTime() {
    return hasCommitTime;
  }

  /** Refuses what is no selection of any table. */
  public void check() {
    var unused = selection(() -> parsed(Condition::parse));
  }

  /** The selection for rows of a table with this key. */
  public RowSelection of(List<PrimaryKeySchema> key) {
    ConditionPlace place = ConditionPlace.ofRows(key);
    return selection(() -> parsed(text -> Condition.parse(text, place)).require(key));
  }

  private RowSelection parsed(Function<String, Condition> parser) {
    Optional<List<String>> names =
        Optional.ofNullable(columns).map(all -> all.equals(List.of("")) ? List.of() : all);
    return new RowSelection(Optional.ofNullable(where).map(parser), names, hasCommitTime);
  }

  private static RowSelection selection(Supplier<RowSelection> made) {
    try {
      return made.get();
    } catch (ConditionException e) {
      throw CommandFailure.usage("--where, " + e.getMessage(), e.excerpt());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("--columns, " + e.getMessage());
    }
  }
}
