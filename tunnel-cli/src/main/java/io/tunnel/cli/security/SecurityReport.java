package io.tunnel.cli.security;

import io.tunnel.sdk.security.SecurityClient.KeyDetails;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.security.SecurityClient.Token;
import io.tunnel.terminal.TextTable;
import java.util.List;

/** What is granted, for people. */
final class SecurityReport {

  private SecurityReport() {}

  static List<String> permissions(List<Permission> permissions) {
    TextTable table = new TextTable("SUBJECT", "", "RIGHTS", "ON");
    for (Permission permission : permissions) {
      table.row(
          permission.subject(),
          permission.isAllowed() ? "allow" : "deny",
          String.join(",", permission.rights()),
          permission.resource());
    }
    return table.lines();
  }

  static List<String> keys(List<KeyDetails> keys) {
    if (keys.isEmpty()) {
      return List.of("no keys beside those in the server's keys.json");
    }
    TextTable table = new TextTable("KEY", "PRINCIPAL", "CREATED", "SECRETS");
    for (KeyDetails key : keys) {
      table.row(
          key.id(),
          key.principal(),
          key.created().toString(),
          key.secrets() == 1 ? "1" : "2 (being rotated)");
    }
    return table.lines();
  }

  static List<String> tokens(List<Token> tokens) {
    if (tokens.isEmpty()) {
      return List.of("no tokens");
    }
    TextTable table = new TextTable("TOKEN", "PRINCIPAL", "CREATED", "EXPIRES");
    for (Token token : tokens) {
      table.row(
          token.id(),
          token.principal(),
          token.created().toString(),
          token.expires().map(Object::toString).orElse("never"));
    }
    return table.lines();
  }
}
