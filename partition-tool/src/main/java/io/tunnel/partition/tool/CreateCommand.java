package io.tunnel.partition.tool;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.options.ServiceOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Plans a table, and creates it unless it is there as planned. */
@Command(
    name = "create",
    mixinStandardHelpOptions = true,
    description = {
      "Create a table that is split from the start.",
      "A table that exists with the same key and the same split points is left as it is; one that"
          + " differs is refused."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ${COMMAND-FULL-NAME} --table users --key hash:BINARY,uid:STRING --partitions 8",
      "  ${COMMAND-FULL-NAME} --table users --key id:INTEGER --partitions 16"
          + " --from 0 --to 999999",
      "  ${COMMAND-FULL-NAME} --table sales --key shop:STRING,number:INTEGER:AUTO",
      "  ${COMMAND-FULL-NAME} --table words --key word:STRING --points g,n,t",
      "  ${COMMAND-FULL-NAME} --table parts --key name:STRING --partitions 4 --dry-run \\",
      "      --sample parts.csv --column name"
    })
public final class CreateCommand extends Job {

  private final PartitionTables.Connector connector;

  @Mixin private ServiceOptions service;

  @Mixin private SplitOptions split;

  @Option(
      names = "--table",
      required = true,
      paramLabel = "TABLE",
      description = "Name of the table: 1 to 255 of A-Z a-z 0-9 _ -, the first a letter or _.")
  private String table;

  @Option(
      names = "--key",
      required = true,
      paramLabel = "NAME:TYPE,…",
      description =
          "1 to 4 key columns, typed INTEGER, STRING or BINARY. The first decides the partition."
              + " A column NAME:INTEGER:AUTO behind the first is numbered by the server, where a"
              + " row asks for a number.")
  private String key;

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      description =
          "What acknowledged writes survive: ${COMPLETION-CANDIDATES} (default: FSYNC). FSYNC:"
              + " power loss; OS: a crash of the server's process.")
  private Durability durability;

  @Mixin private RetentionOptions retention;

  @Option(names = "--dry-run", description = "Print the plan; ask no server, create nothing.")
  private boolean dryRun;

  /** The command on real servers, also as a command on tables. */
  public CreateCommand() {
    this(SdkPartitionTables::connect);
  }

  CreateCommand(PartitionTables.Connector connector) {
    this.connector = connector;
  }

  @Override
  public Integer call() throws IOException {
    String endpoint = service.endpoint();
    TablePlan plan = plan();
    if (dryRun) {
      print(plan, "planned");
      return ExitCode.OK;
    }
    try (PartitionTables tables = connector.connect(endpoint)) {
      print(plan, carryOut(plan, tables));
    }
    return ExitCode.OK;
  }

  private TablePlan plan() throws IOException {
    try {
      List<PrimaryKeySchema> columns = KeyText.parseSchema(key);
      new TableMeta(table, columns); // Before a sample is read: knows what a table can be.
      return new TablePlan(
          table,
          columns,
          durability == null ? retention.asked() : retention.asked().withDurability(durability),
          split.plan(columns.get(0)));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage());
    }
  }

  /** Asks first, so that a table that exists is compared and not only refused. */
  private static String carryOut(TablePlan plan, PartitionTables tables) {
    try {
      requireAsPlanned(plan, tables.describe(plan.table()));
      return "exists";
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.TABLE_NOT_FOUND) {
        throw e;
      }
    }
    try {
      tables.create(plan.meta(), plan.split().points());
      return "created";
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.TABLE_EXISTS) {
        throw e;
      }
      // Somebody was faster.
      requireAsPlanned(plan, tables.describe(plan.table()));
      return "exists";
    }
  }

  private static void requireAsPlanned(TablePlan plan, TableInfo existing) {
    List<String> differences = PlanDifferenceCore.differences(plan, existing);
    if (!differences.isEmpty()) {
      throw CommandFailure.failed(
          "table '"
              + plan.table()
              + "' exists and is not as planned: "
              + String.join("; ", differences)
              + ". Drop it first, or name another table");
    }
  }

  private void print(TablePlan plan, String outcome) {
    PrintWriter out = out();
    if (service.isJson()) {
      out.println(PlanReport.json(plan, outcome));
      return;
    }
    switch (outcome) {
      case "planned" -> {
        PlanReport.lines(plan).forEach(out::println);
        out.println();
        out.println("dry run: nothing was created");
      }
      case "created" ->
          out.println(
              "table "
                  + plan.table()
                  + " created, partitions: "
                  + plan.split().partitions()
                  + ", "
                  + plan.split().how());
      default -> out.println("table " + plan.table() + " exists as planned: nothing to do");
    }
  }
}
