package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The console of a server that asks clients for a key. */
@Tag("proof-console")
class ClosedConsoleTest {

  private static final String VIEWER = "viewer";
  private static final String PAGE = "#/tunnels/orders/audit";

  @RegisterExtension final Stage stage = new Stage();

  private Browser browser;
  private ServerProcess server;
  private TunnelClient tunnels;
  private String token;

  @BeforeEach
  void a_viewer_may_look_at_a_tunnel_alone() {
    browser = stage.closing(Browser.start());
    server = stage.closedServer();
    TestTable table = new TestTable("orders", 2);
    table.create(stage.tables(server));
    tunnels = stage.tunnels(server);
    String unused = table.createTunnel(tunnels, "audit");
    try (SecurityClient security = new SecurityClient(server.client())) {
      security.grant(Permission.allow(VIEWER, List.of("read"), "table:orders"));
      security.grant(Permission.allow(VIEWER, List.of("consume"), "tunnel:orders/*"));
      security.grant(Permission.allow(VIEWER, List.of("read"), "cluster"));
      byte[] text =
          security
              .createToken(VIEWER, Optional.of(Instant.parse("2100-01-01T00:00:00Z")))
              .text()
              .utf8();
      token = new String(text, StandardCharsets.UTF_8);
    }
    browser.open("https://127.0.0.1:" + server.httpPort() + "/" + PAGE);
  }

  private void logIn(String with) {
    browser.element("#token").clear();
    browser.type("#token", with);
    browser.click("form .primary");
  }

  /** The status that the page's own cookie and CSRF token get for a request. */
  private Object ask(String operation, String payload) {
    return browser.asyncScript(
        "const [operation, payload, done] = arguments;(async () => {"
            + "const me = await (await fetch('/api/me')).json();"
            + "const answer = await fetch('/api/ask/' + operation, {method: 'POST',"
            + " headers: {'Content-Type': 'application/json', 'X-Tunnel-Csrf': me.csrf},"
            + " body: payload}); done(answer.status + ' ' + (await answer.text()));})()",
        operation,
        payload);
  }

  @Test
  void a_token_logs_in_and_nothing_is_offered_that_would_be_refused() {
    assertThat(browser.element("h1").getText()).isEqualTo("Log in");
    for (Browser.View view : Browser.View.all()) {
      browser.show(view);
      assertThat(browser.findings()).as("%s", view).isEmpty();
      assertThat(browser.overflow()).as("%s", view).isZero();
    }
    browser.show(Browser.View.all().get(0));
    browser.shot("login");
    logIn("not-a-token");
    browser.awaitText("[role=alert]", "The token was not accepted.");
    logIn(token);
    browser.awaitText("#principal", VIEWER);
    browser.awaitText("page-tunnel h1", "Tunnel audit of table orders");
    browser.element(".cell");
    assertThat(browser.count("#pause, #seek, #clone, #export")).isZero();

    assertThat(ask("PAUSE", "{\"table\":\"orders\",\"tunnel\":\"audit\"}"))
        .asString()
        .startsWith("403 ")
        .contains("NOT_PERMITTED");
    assertThat(tunnels.describeTunnel(new DescribeTunnelRequest("orders", "audit")).isPaused())
        .isFalse();

    browser.click("#logout");
    browser.element("#token");
    // The server ends the feed of a session that has ended.
    browser.requireQuiet("status of 401", "status of 403", "ERR_INCOMPLETE_CHUNKED_ENCODING");
  }

  @Test
  void a_token_that_is_revoked_ends_what_it_began() {
    logIn(token);
    browser.element(".cell");
    try (SecurityClient security = new SecurityClient(server.client())) {
      security.tokens().forEach(each -> security.revokeToken(each.id()));
    }
    browser.element("#token");
    browser.awaitText("tunnel-console", "The session has ended.");
  }
}
