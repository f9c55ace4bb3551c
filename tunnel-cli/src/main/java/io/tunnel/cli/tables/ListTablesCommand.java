package io.tunnel.cli.tables;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceCommand;
import java.util.List;
import picocli.CommandLine.Command;

/** Prints the names of all tables. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "Print the names of all tables, one a line.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel tables list")
final class ListTablesCommand extends ServiceCommand {

  /** For picocli. */
  ListTablesCommand() {}

  @Override
  protected void run(Service service) {
    List<String> names = service.listTables();
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
