package io.tunnel.cli.security;

import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Allows or denies rights. */
@Command(
    name = "grant",
    mixinStandardHelpOptions = true,
    description = {
      "Allow rights to a principal or a group, or deny them; at once, also for those who are"
          + " connected.",
      "What nothing allows is denied, and deny wins. Whoever has a right on something sees it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel security grant --to billing read,write --on 'table:orders*'",
      "  tunnel security grant --to group:workers consume --on 'tunnel:orders/*'",
      "  tunnel security grant --to billing write --on table:orders_archive --deny"
    })
final class GrantCommand extends SecurityAction {

  @Mixin private RightsOptions rights;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "SUBJECT",
      description = "NAME of a principal, or group:NAME.")
  private String subject;

  /** For picocli. */
  GrantCommand() {}

  @Override
  protected void run(SecurityClient client, Administered server) {
    Permission permission = rights.of(subject);
    client.grant(permission);
    print(
        () -> SecurityJson.permission(permission), () -> List.of(subject + " is " + rights.text()));
  }
}
