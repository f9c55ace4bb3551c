package io.tunnel.cli.security;

import io.tunnel.sdk.security.SecurityClient.Permission;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which rights, on what. */
final class RightsOptions {

  @Parameters(
      arity = "1..*",
      split = ",",
      paramLabel = "RIGHT",
      description = "read, write, consume, create, alter, drop, operate, admin.")
  private List<String> rights;

  @Option(
      names = "--on",
      required = true,
      paramLabel = "RESOURCE",
      description =
          "table:PATTERN, tunnel:TABLE/PATTERN or cluster; a pattern is a name, or the beginning of"
              + " names and *.")
  private String resource;

  @Option(names = "--deny", description = "Of rights that are denied, which wins.")
  private boolean isDenied;

  /** For picocli. */
  RightsOptions() {}

  Permission of(String subject) {
    return new Permission(subject, !isDenied, rights, resource);
  }

  /** For people. */
  String text() {
    return (isDenied ? "denied " : "allowed ") + String.join(", ", rights) + " on " + resource;
  }
}
