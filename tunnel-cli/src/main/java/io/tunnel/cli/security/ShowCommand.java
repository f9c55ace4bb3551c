package io.tunnel.cli.security;

import com.google.gson.JsonObject;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what is granted. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    description = "Show what is allowed and denied, to all or to one.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel security show --of billing")
final class ShowCommand extends SecurityAction {

  @Option(
      names = "--of",
      paramLabel = "SUBJECT",
      description = "NAME of a principal, or group:NAME.")
  private String subject;

  /** For picocli. */
  ShowCommand() {}

  @Override
  protected void run(SecurityClient client, ClientConfig config) {
    Permissions found = client.permissions(Optional.ofNullable(subject));
    print(() -> json(found), () -> lines(found));
  }

  private static JsonObject json(Permissions found) {
    JsonObject json = new JsonObject();
    json.add("permissions", SecurityJson.permissions(found.permissions()));
    json.addProperty("isCut", found.isCut());
    return json;
  }

  private static List<String> lines(Permissions found) {
    if (found.permissions().isEmpty()) {
      return List.of("nothing is allowed or denied; administrators of keys.json may do everything");
    }
    List<String> lines = new ArrayList<>(SecurityReport.permissions(found.permissions()));
    if (found.isCut()) {
      lines.add("there are more; ask for those of one subject with --of");
    }
    return lines;
  }
}
