package io.tunnel.cli.tables;

import io.tunnel.cli.arguments.KeyArguments;
import io.tunnel.cli.service.Service;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionException;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.CommandFailure;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the rows of a range of keys. */
@Command(
    name = "scan",
    mixinStandardHelpOptions = true,
    description = {
      "Print rows in key order; with --json one object a line. With --where, only the rows of which"
          + " a condition holds; the last line on standard error says how many rows were looked"
          + " at."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables scan --table orders --limit 10 --reverse",
      "  tunnel tables scan --table orders --where 'version = 7 and state != \"done\"'",
      "  tunnel tables scan --table users --from 40000000 --to 80000000 --limit all --json"
    })
final class ScanCommand extends TableCommand {

  /** Rows that are aligned with each other, and after which the reader is looked for. */
  private static final int CHUNK_ROWS = 200;

  private static final int PAGE_ROWS_MAX = 1_000;

  @Option(
      names = "--from",
      paramLabel = "KEY",
      description = "The lowest first key column, included (default: the lowest there is).")
  private String from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "The highest first key column, excluded (default: behind the highest).")
  private String to;

  @Option(
      names = "--limit",
      paramLabel = "N|all",
      defaultValue = "20",
      description = "How many rows are printed at most (default: ${DEFAULT-VALUE}).")
  private String limit;

  @Option(names = "--reverse", description = "From the highest key to the lowest.")
  private boolean reverse;

  @Option(
      names = "--where",
      paramLabel = "CONDITION",
      description =
          "Print only rows of which this holds, such as: price >= 1.5 and (not exists state or name"
              + " starts with \"A\"). All rows of the range are read; --limit counts those that"
              + " are printed.")
  private String where;

  @Mixin private ReadModeOption mode;

  /** For picocli. */
  ScanCommand() {}

  @Override
  protected void check() {
    super.check();
    var unused = parseLimit(limit);
    if (where != null) {
      var unusedToo = condition(() -> Condition.parse(where));
    }
  }

  @Override
  protected void run(Service service) {
    List<PrimaryKeySchema> key = service.describeTable(table()).meta().primaryKey();
    ConditionPlace place = ConditionPlace.ofRows(key);
    Optional<Condition> condition =
        Optional.ofNullable(where).map(text -> condition(() -> Condition.parse(text, place)));
    RangeQuery query = query(key, parseLimit(limit));
    Service.Rows rows = service.scan(table(), query, condition);
    long printed = print(key, rows);
    if (condition.isPresent() && !out().checkError()) {
      err()
          .println(
              String.format(
                  Locale.ROOT,
                  "looked at %,d rows, %,d matched%s",
                  rows.lookedAt(),
                  printed,
                  printed == query.limit() ? "; there may be more, see --limit" : ""));
    }
  }

  private static Condition condition(Supplier<Condition> parse) {
    try {
      return parse.get();
    } catch (ConditionException e) {
      throw CommandFailure.usage("--where, " + e.getMessage(), e.excerpt());
    }
  }

  static long parseLimit(String text) {
    if (text.equals("all")) {
      return Long.MAX_VALUE;
    }
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) < 1) {
      throw CommandFailure.usage(
          "--limit is a number of rows from 1 on, or all, not '" + text + "'");
    }
    return Long.parseLong(text);
  }

  private RangeQuery query(List<PrimaryKeySchema> key, long rows) {
    RangeQuery query =
        RangeQuery.ALL
            .withLimit(rows)
            .withPageRows(where == null ? (int) Math.min(PAGE_ROWS_MAX, rows) : PAGE_ROWS_MAX)
            .withMode(mode.mode());
    if (from != null) {
      query = query.from(KeyArguments.first("--from", key, from));
    }
    if (to != null) {
      query = query.to(KeyArguments.first("--to", key, to));
    }
    return reverse ? query.backward() : query;
  }

  /** Returns how many rows were printed. */
  private long print(List<PrimaryKeySchema> key, Iterator<Row> rows) {
    PrintWriter out = out();
    List<Row> chunk = new ArrayList<>();
    boolean isFirst = true;
    long printed = 0;
    while (rows.hasNext()) {
      chunk.add(rows.next());
      printed++;
      if (chunk.size() == CHUNK_ROWS) {
        print(out, key, chunk, isFirst);
        isFirst = false;
        chunk.clear();
        if (out.checkError()) {
          return printed; // Who read our output has gone, such as head.
        }
      }
    }
    if (isFirst || !chunk.isEmpty()) {
      print(out, key, chunk, isFirst);
    }
    return printed;
  }

  private void print(
      PrintWriter out, List<PrimaryKeySchema> key, List<Row> rows, boolean withHeading) {
    if (isJson()) {
      rows.forEach(row -> out.println(TypedJson.of(row)));
    } else {
      RowReport.lines(key, rows).stream().skip(withHeading ? 0 : 1).forEach(out::println);
    }
  }
}
