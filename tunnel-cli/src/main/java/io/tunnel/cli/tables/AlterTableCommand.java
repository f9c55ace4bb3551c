package io.tunnel.cli.tables;

import io.tunnel.cli.service.Service;
import io.tunnel.model.Durability;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.TableOptions;
import io.tunnel.partition.tool.RetentionOptions;
import io.tunnel.partition.tool.TableReport;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gives a table other options. */
@Command(
    name = "alter",
    mixinStandardHelpOptions = true,
    description = "Change the options of a table; what is not named stays as it is.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel tables alter --table orders --retention 7d --retention-bytes 10GiB",
      "  tunnel tables alter --table orders --retention 0",
      "  tunnel tables alter --table sessions --ttl 30m"
    })
final class AlterTableCommand extends TableCommand {

  @Mixin private RetentionOptions retention;

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      description = "What acknowledged writes survive: ${COMPLETION-CANDIDATES}.")
  private Durability durability;

  /** For picocli. */
  AlterTableCommand() {}

  @Override
  protected void check() {
    super.check();
    if (durability == null && !retention.isGiven()) {
      throw CommandFailure.usage(
          "say what to change: --retention, --retention-bytes, --ttl or --durability");
    }
  }

  @Override
  protected void run(Service service) {
    OptionsChange asked = retention.asked();
    TableInfo altered =
        service.alterTable(table(), durability == null ? asked : asked.withDurability(durability));
    TableOptions options = altered.meta().options();
    print(
        () -> TableReport.optionsJson(altered.meta()),
        () -> List.of("table " + table() + " altered: " + TableReport.options(options)));
  }
}
