package io.tunnel.cli.security;

import com.google.gson.JsonObject;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Identity;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** Says who asks. */
@Command(
    name = "whoami",
    mixinStandardHelpOptions = true,
    description = "Say who you are to the server, and what you may do.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel security whoami --profile billing")
final class WhoAmICommand extends SecurityAction {

  /** For picocli. */
  WhoAmICommand() {}

  @Override
  protected void run(SecurityClient client, ClientConfig config) {
    Identity identity = client.whoAmI();
    print(() -> json(identity), () -> lines(identity));
  }

  private static JsonObject json(Identity identity) {
    JsonObject json = new JsonObject();
    identity.principal().ifPresent(name -> json.addProperty("principal", name));
    json.addProperty("isAdministrator", identity.isAdministrator());
    json.add("groups", SecurityJson.texts(identity.groups()));
    json.add("permissions", SecurityJson.permissions(identity.permissions()));
    return json;
  }

  private static List<String> lines(Identity identity) {
    if (identity.principal().isEmpty()) {
      return List.of("the server asks nobody who they are; everybody may do everything");
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        identity.principal().get()
            + (identity.isAdministrator() ? ", an administrator: may do everything" : ""));
    if (!identity.groups().isEmpty()) {
      lines.add("in the groups " + String.join(", ", identity.groups()));
    }
    if (!identity.permissions().isEmpty()) {
      lines.addAll(SecurityReport.permissions(identity.permissions()));
    } else if (!identity.isAdministrator()) {
      lines.add("without any right; an administrator can grant some");
    }
    return lines;
  }
}
