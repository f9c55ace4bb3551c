package io.tunnel.cli.security;

import com.google.gson.JsonObject;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedToken;
import io.tunnel.sdk.security.SecurityClient.Token;
import io.tunnel.terminal.CommandGroup;
import io.tunnel.terminal.options.DurationConverter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes, lists and revokes tokens. */
@Command(
    name = "token",
    mixinStandardHelpOptions = true,
    description = "Make, list and revoke tokens for the HTTP port.",
    subcommands = {
      TokenCommand.Create.class,
      TokenCommand.ListTokens.class,
      TokenCommand.RevokeToken.class
    })
final class TokenCommand extends CommandGroup {

  /** For picocli. */
  TokenCommand() {}

  /** Makes a token. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {
        "Make a token for a principal, which a scraper of /metrics sends as Authorization: Bearer"
            + " TOKEN.",
        "The token also logs in to the console. Figures need the right read on cluster."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  tunnel security token create prometheus --expires 90d",
        "  tunnel security grant --to prometheus read --on cluster"
      })
  static final class Create extends SecurityAction {

    @Parameters(paramLabel = "PRINCIPAL", description = "Whom it stands for.")
    private String principal;

    @Option(
        names = "--expires",
        paramLabel = "TIME",
        converter = DurationConverter.class,
        description = "How long it is good, such as 90d (default: for ever).")
    private Duration lifetime;

    /** For picocli. */
    Create() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      Optional<Instant> expires = Optional.ofNullable(lifetime).map(Instant.now()::plus);
      IssuedToken issued = client.createToken(principal, expires);
      String text = new String(issued.text().utf8(), StandardCharsets.UTF_8);
      print(
          () -> {
            JsonObject json = SecurityJson.token(issued.token());
            json.addProperty("token", text);
            return json;
          },
          () ->
              List.of(
                  "made token " + issued.token().id() + " of " + principal,
                  "token " + text,
                  "it is not shown again"));
    }
  }

  /** Lists tokens. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "List the tokens, without their texts.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel security token list")
  static final class ListTokens extends SecurityAction {

    /** For picocli. */
    ListTokens() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      List<Token> tokens = client.tokens();
      print(
          () -> SecurityJson.list("tokens", tokens, SecurityJson::token),
          () -> SecurityReport.tokens(tokens));
    }
  }

  /** Ends a token. */
  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description = "End a token.",
      footerHeading = "%nExample:%n",
      footer = "  tunnel security token revoke t-1f2e3d4c")
  static final class RevokeToken extends SecurityAction {

    @Parameters(paramLabel = "TOKEN", description = "The token's id.")
    private String id;

    /** For picocli. */
    RevokeToken() {}

    @Override
    protected void run(SecurityClient client, ClientConfig config) {
      client.revokeToken(id);
      done("revoked", id, "token " + id + " is revoked");
    }
  }
}
