package io.tunnel.cli.security;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Takes rights back. */
@Command(
    name = "revoke",
    mixinStandardHelpOptions = true,
    description =
        "Take back what was granted, or (--deny) what was denied; at once, also from those who are"
            + " connected.",
    footerHeading = "%nExample:%n",
    footer = "  tunnel security revoke --from billing write --on 'table:orders*'")
final class RevokeCommand extends SecurityAction {

  @Mixin private RightsOptions rights;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "SUBJECT",
      description = "NAME of a principal, or group:NAME.")
  private String subject;

  /** For picocli. */
  RevokeCommand() {}

  @Override
  protected void run(SecurityClient client, ClientConfig config) {
    Permission permission = rights.of(subject);
    client.withdraw(permission);
    print(
        () -> SecurityJson.permission(permission),
        () -> List.of(subject + " is no more " + rights.text()));
  }
}
