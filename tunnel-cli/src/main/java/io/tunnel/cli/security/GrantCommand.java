package io.tunnel.cli.security;

import io.tunnel.sdk.ClientConfig;
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
      "A right that nothing allows is denied, and a denial overrides any grant. A principal sees"
          + " every table and tunnel on which it has a right."
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

  private static final String GROUP = "group:";

  /** For picocli. */
  GrantCommand() {}

  /** A certificate's subject is known to its authority only. */
  private boolean isKnown(SecurityClient client) {
    if (subject.startsWith(GROUP)) {
      String group = subject.substring(GROUP.length());
      return client.groups().stream().anyMatch(one -> one.name().equals(group));
    }
    return subject.contains("=")
        || client.keys().stream().anyMatch(key -> key.principal().equals(subject))
        || client.tokens().stream().anyMatch(token -> token.principal().equals(subject));
  }

  @Override
  protected void run(SecurityClient client, ClientConfig config) {
    Permission permission = rights.of(subject);
    client.grant(permission);
    if (!isKnown(client)) {
      warn(
          subject.startsWith(GROUP)
              ? subject + " has no members yet; 'tunnel security group add' adds some"
              : "no key or token is for '"
                  + subject
                  + "' yet; if the name is not misspelt, 'tunnel security key create "
                  + subject
                  + "' makes a key");
    }
    print(
        () -> SecurityJson.permission(permission), () -> List.of(subject + " is " + rights.text()));
  }
}
