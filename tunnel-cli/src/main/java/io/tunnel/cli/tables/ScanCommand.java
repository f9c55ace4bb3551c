package io.tunnel.cli.tables;

import io.tunnel.cli.arguments.KeyArguments;
import io.tunnel.cli.arguments.ReadModeOption;
import io.tunnel.cli.arguments.SelectionOptions;
import io.tunnel.cli.rows.RowReport;
import io.tunnel.cli.service.Service;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Human;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the rows of a range of keys. */
@Command(
    name = "scan",
    mixinStandardHelpOptions = true,
    description = {
      "Print rows in key order; with --json one object a line. With --where, only the rows of which"
          + " a condition holds; the last line on standard error says how many rows the server"
          + " looked at."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables scan --table orders --limit 10 --reverse",
      "  tunnel tables scan --table orders --where 'version = 7 and state != \"done\"'",
      "  tunnel tables scan --table orders --columns price,state --commit-time --limit all",
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
      description =
          "How many rows are printed at most; with --where, how many of those that match (default: ${DEFAULT-VALUE}).")
  private String limit;

  @Option(names = "--reverse", description = "From the highest key to the lowest.")
  private boolean reverse;

  @Mixin private SelectionOptions selection;

  @Mixin private ReadModeOption mode;

  /** For picocli. */
  ScanCommand() {}

  @Override
  protected void check() {
    super.check();
    var unused = parseLimit(limit);
    selection.check();
  }

  @Override
  protected void run(Service service) {
    List<PrimaryKeySchema> key = service.describeTable(table()).meta().primaryKey();
    RangeQuery query = query(key, parseLimit(limit));
    Service.Rows rows = service.scan(table(), query, selection.of(key));
    long printed = print(key, rows);
    if (selection.hasCondition() && !out().checkError()) {
      err()
          .println(
              String.format(
                  Locale.ROOT,
                  "looked at %s, %,d matched%s",
                  Human.counted(rows.lookedAt(), "row"),
                  printed,
                  printed == query.limit() ? "; there may be more, see --limit" : ""));
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
            .withPageRows((int) Math.min(PAGE_ROWS_MAX, rows))
            .withMode(mode.mode());
    if (from != null) {
      query = query.from(KeyArguments.first("--from", key, from));
    }
    if (to != null) {
      query = query.to(KeyArguments.first("--to", key, to));
    }
    if (from != null && to != null && first(query.from()).compareTo(first(query.to())) > 0) {
      throw CommandFailure.usage(
          "--from "
              + from
              + " is above --to "
              + to
              + ": --from is the lowest key and --to the highest, also with --reverse");
    }
    return reverse ? query.backward() : query;
  }

  private static Bytes first(Optional<PrimaryKey> bound) {
    return KeyCodec.encode(bound.orElseThrow().getPrimaryKeyColumn(0).getValue());
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
      RowReport.lines(key, rows, selection.hasCommitTime()).stream()
          .skip(withHeading ? 0 : 1)
          .forEach(out::println);
    }
  }
}
