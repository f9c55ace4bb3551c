package io.tunnel.cli.tables;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.cli.service.ServiceGroup;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Prints the names of all tables. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "Print the names of all tables, one a line.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel tables list")
final class ListTablesCommand extends ServiceCommand<Tables> {

  @ParentCommand private TablesCommand parent;

  /** For picocli. */
  ListTablesCommand() {}

  @Override
  protected ServiceGroup<Tables> group() {
    return parent;
  }

  @Override
  protected void check() {
    // Nothing can be wrong.
  }

  @Override
  protected void run(Tables tables) {
    List<String> names = tables.list();
    print(() -> json(names), () -> names);
  }

  private static JsonObject json(List<String> names) {
    JsonArray array = new JsonArray();
    names.forEach(array::add);
    JsonObject json = new JsonObject();
    json.add("tables", array);
    return json;
  }
}
