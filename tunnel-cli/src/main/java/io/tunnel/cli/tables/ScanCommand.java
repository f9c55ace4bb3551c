package io.tunnel.cli.tables;

import io.tunnel.cli.arguments.KeyArguments;
import io.tunnel.cli.service.Service;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.stress.file.TypedJson;
import io.tunnel.terminal.CommandFailure;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the rows of a range of keys. */
@Command(
    name = "scan",
    mixinStandardHelpOptions = true,
    description = "Print rows in key order; with --json one object a line.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables scan --table orders --limit 10 --reverse",
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
      description = "How many rows at most (default: ${DEFAULT-VALUE}).")
  private String limit;

  @Option(names = "--reverse", description = "From the highest key to the lowest.")
  private boolean reverse;

  @Mixin private ReadModeOption mode;

  /** For picocli. */
  ScanCommand() {}

  @Override
  protected void check() {
    super.check();
    var unused = parseLimit(limit);
  }

  @Override
  protected void run(Service service) {
    List<PrimaryKeySchema> key = service.describeTable(table()).meta().primaryKey();
    print(key, service.scan(table(), query(key, parseLimit(limit))));
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
    return reverse ? query.backward() : query;
  }

  private void print(List<PrimaryKeySchema> key, Iterable<Row> rows) {
    PrintWriter out = out();
    List<Row> chunk = new ArrayList<>();
    boolean isFirst = true;
    for (Row row : rows) {
      chunk.add(row);
      if (chunk.size() == CHUNK_ROWS) {
        print(out, key, chunk, isFirst);
        isFirst = false;
        chunk.clear();
        if (out.checkError()) {
          return; // Who read our output has gone, such as head.
        }
      }
    }
    if (isFirst || !chunk.isEmpty()) {
      print(out, key, chunk, isFirst);
    }
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
