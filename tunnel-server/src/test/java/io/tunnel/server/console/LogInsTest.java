package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.console.TestConsole.Browser;
import io.tunnel.server.console.TestConsole.Reply;
import io.tunnel.server.net.access.Gate;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Log-in at a server with authentication. */
final class LogInsTest {

  private @TempDir Path directory;
  private TestConsole console;

  @BeforeEach
  void open() throws IOException {
    console = new TestConsole(directory, true, ConsoleConfig.DEFAULT);
  }

  @AfterEach
  void close() throws IOException {
    console.close();
  }

  private Reply logIn(String token) throws IOException {
    return console.post("/api/login", "", "{\"token\":\"" + token + "\"}");
  }

  private Reply me(String cookie) throws IOException {
    return console.get("/api/me", "Cookie: " + cookie + "\r\n");
  }

  private Reply logOut(String cookie, String csrf) throws IOException {
    return console.post(
        "/api/logout", "Cookie: " + cookie + "\r\nX-Tunnel-Csrf: " + csrf + "\r\n", "{}");
  }

  @Test
  void a_token_opens_a_session_that_ends_with_its_log_out() throws IOException {
    console.gate.allow("ada", "cluster", "read");
    Reply entered = logIn(console.token("ada").token());
    assertThat(entered.status()).isEqualTo(200);
    assertThat(entered.head())
        .contains("HttpOnly")
        .contains("SameSite=Strict")
        .contains("Path=/")
        .contains("cache-control: no-store")
        .doesNotContain("Secure");
    assertThat(me(entered.cookie()).body())
        .contains("\"principal\":\"ada\"", "\"open\":false", "\"mayReadCluster\":true")
        .contains("\"administrator\":false");
    assertThat(me(entered.cookie()).csrf()).isEqualTo(entered.csrf());
    assertThat(logOut(entered.cookie(), entered.csrf()).status()).isEqualTo(200);
    assertThat(me(entered.cookie()).status()).isEqualTo(401);
    assertThat(console.audit())
        .contains("\"operation\":\"CONSOLE_LOGIN\"", "\"principal\":\"ada\"");
  }

  @Test
  void without_a_session_nothing_but_the_pages_is_answered() throws IOException {
    assertThat(console.get("/api/me", "").status()).isEqualTo(401);
    assertThat(console.get("/api/me", "").body()).contains("NOT_AUTHENTICATED");
    assertThat(console.get("/", "").status()).isEqualTo(200);
  }

  @Test
  void a_session_ends_with_its_token() throws IOException {
    TokenSecret token = console.token("ada");
    Reply entered = logIn(token.token());
    assertThat(me(entered.cookie()).status()).isEqualTo(200);
    console.revoke(token);
    assertThat(me(entered.cookie()).status()).isEqualTo(401);
    assertThat(console.logIns.count()).as("it is forgotten").isZero();
  }

  @Test
  void a_session_ends_after_half_an_hour_without_requests() throws IOException {
    Reply entered = logIn(console.token("ada").token());
    console.gate.nanos.addAndGet(TimeUnit.MINUTES.toNanos(29));
    assertThat(me(entered.cookie()).status()).isEqualTo(200);
    console.gate.nanos.addAndGet(TimeUnit.MINUTES.toNanos(30));
    assertThat(me(entered.cookie()).status()).isEqualTo(401);
  }

  @Test
  void a_server_that_may_have_missed_a_revocation_decides_by_no_token() throws IOException {
    Reply entered = logIn(console.token("ada").token());
    console.gate.doubt =
        Optional.of(new RefusedException(ErrorCode.LOG_UNAVAILABLE, "cut off from the log"));
    assertThat(me(entered.cookie()).status()).isEqualTo(503);
    console.gate.doubt = Optional.empty();
    assertThat(me(entered.cookie()).status()).as("the session waits").isEqualTo(200);
  }

  @Test
  void a_log_in_never_takes_the_id_that_a_request_brings() throws IOException {
    String planted = "tunnel_session_" + console.port() + "=" + "A".repeat(43);
    Reply entered =
        console.post(
            "/api/login",
            "Cookie: " + planted + "\r\n",
            "{\"token\":\"" + console.token("ada").token() + "\"}");
    assertThat(entered.status()).isEqualTo(200);
    assertThat(entered.cookie()).isNotEqualTo(planted);
    assertThat(me(planted).status()).isEqualTo(401);
    assertThat(me(planted + "; " + entered.cookie()).status())
        .as("two cookies of the name")
        .isEqualTo(401);
  }

  @Test
  void another_log_in_of_a_browser_ends_its_former_session() throws IOException {
    String token = console.token("ada").token();
    Reply first = logIn(token);
    Reply second =
        console.post(
            "/api/login", "Cookie: " + first.cookie() + "\r\n", "{\"token\":\"" + token + "\"}");
    assertThat(me(first.cookie()).status()).isEqualTo(401);
    assertThat(me(second.cookie()).status()).isEqualTo(200);
  }

  @Test
  void the_csrf_token_of_a_session_is_worth_nothing_for_another_session() throws IOException {
    Reply ada = logIn(console.token("ada").token());
    Reply eve = logIn(console.token("eve").token());
    assertThat(logOut(ada.cookie(), eve.csrf()).status()).isEqualTo(403);
    assertThat(logOut(ada.cookie(), "").status()).isEqualTo(403);
    assertThat(me(ada.cookie()).status()).as("ada is still logged in").isEqualTo(200);
    assertThat(console.audit()).contains("\"outcome\":\"CSRF\"", "/api/logout");
  }

  @Test
  void a_script_sends_its_token_with_each_request() throws IOException {
    String token = console.token("ada").token();
    Reply me = console.get("/api/me", "Authorization: Bearer " + token + "\r\n");
    assertThat(me.body()).contains("\"principal\":\"ada\"", "\"csrf\":null");
    assertThat(me.head()).doesNotContain("set-cookie");
  }

  @Test
  void wrong_tokens_are_answered_later_and_later_and_are_audited() throws IOException {
    for (int i = 0; i < 10; i++) {
      Reply reply = logIn("guess " + i);
      assertThat(reply.status()).isEqualTo(401);
    }
    assertThat(console.get("/api/me", "Authorization: Bearer guess\r\n").status()).isEqualTo(401);
    assertThat(console.delaysNanos).hasSize(11).isSorted();
    assertThat(console.delaysNanos.get(10)).isGreaterThan(console.delaysNanos.get(0));
    assertThat(console.audit()).contains("NOT_AUTHENTICATED").doesNotContain("guess");
  }

  @Test
  void ten_thousand_log_ins_leave_the_last_sixteen_of_the_principal() throws IOException {
    Reply bob = logIn(console.token("bob").token());
    String body = "{\"token\":\"" + console.token("ada").token() + "\"}";
    Reply last = bob;
    try (Browser browser = console.browser()) {
      for (int i = 0; i < 10_000; i++) {
        last =
            browser.ask(
                "POST /api/login",
                "Host: " + console.host() + "\r\nContent-Type: application/json\r\n",
                body);
      }
    }
    assertThat(console.logIns.count()).isEqualTo(1 + SessionsCore.OF_PRINCIPAL_MAX);
    assertThat(me(last.cookie()).status()).isEqualTo(200);
    assertThat(me(bob.cookie()).status()).isEqualTo(200);
  }

  @Test
  void bodies_that_hold_no_token_are_refused() throws IOException {
    for (String body :
        new String[] {"[]", "{", "{\"token\":{}}", "null", "[".repeat(60_000), "\0", "{\"a\":1}"}) {
      assertThat(console.post("/api/login", "", body).status()).isEqualTo(400);
    }
    assertThat(console.ask("POST /api/login", "", "{\"token\":\"x\"}").status()).isEqualTo(415);
    assertThat(console.get("/api/login", "").status()).isEqualTo(405);
  }

  @Test
  void an_open_server_has_no_log_in_but_checks_csrf_tokens() throws IOException {
    console.close();
    console = new TestConsole(directory, false, ConsoleConfig.DEFAULT);
    assertThat(Gate.open().isOpen()).isTrue();
    Reply me = console.get("/api/me", "");
    assertThat(me.body()).contains("\"open\":true", "\"principal\":null", "\"administrator\":true");
    assertThat(me(me.cookie()).csrf()).isEqualTo(me.csrf());
    assertThat(logOut(me.cookie(), "forged").status()).isEqualTo(403);
    assertThat(console.post("/api/logout", "", "{}").status()).as("no cookie").isEqualTo(403);
    assertThat(logOut(me.cookie(), me.csrf()).status()).isEqualTo(200);
    assertThat(logIn("any").status()).isEqualTo(409);
  }
}
