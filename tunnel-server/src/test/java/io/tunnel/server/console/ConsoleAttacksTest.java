package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.server.console.TestConsole.Browser;
import io.tunnel.server.console.TestConsole.Reply;
import io.tunnel.server.metrics.HttpServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that no page of this server makes: refused, and health is answered meanwhile. */
final class ConsoleAttacksTest {

  private static final int PLACES = 4;

  private @TempDir Path directory;
  private TestConsole console;
  private String session;

  @BeforeEach
  void open() throws IOException {
    console = new TestConsole(directory, true, new ConsoleConfig(true, PLACES));
    Reply entered =
        console.post("/api/login", "", "{\"token\":\"" + console.token("ada").token() + "\"}");
    session = "Cookie: " + entered.cookie() + "\r\nX-Tunnel-Csrf: " + entered.csrf() + "\r\n";
  }

  @AfterEach
  void close() throws IOException {
    assertThat(console.get("/health", "").status()).as("health").isEqualTo(200);
    console.close();
  }

  @Test
  void a_request_for_another_name_is_refused_and_audited() throws IOException {
    for (String host :
        List.of(
            "Host: evil.example.com\r\n",
            "Host: evil.example.com:7651\r\n",
            "Host: 127.0.0.1:evil.example.com\r\n",
            "Host: 127.0.0.1:65536\r\n",
            "",
            "Host: " + console.host() + "\r\nHost: evil.example.com\r\n")) {
      try (Browser browser = console.browser()) {
        assertThat(browser.ask("GET /api/me", host + session, "").status()).isEqualTo(421);
      }
      try (Browser browser = console.browser()) {
        assertThat(browser.ask("GET /", host, "").status()).isEqualTo(421);
      }
    }
    assertThat(console.audit()).contains("\"outcome\":\"HOST\"", "GET /api/me");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: https://evil.example.com",
        "Origin: null",
        "Origin: http://127.0.0.1:1",
        "Origin: http://127.0.0.1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
      })
  void a_page_of_another_server_gets_nothing_with_the_cookie(String header) throws IOException {
    assertThat(console.get("/api/me", session + header + "\r\n").status()).isEqualTo(403);
    assertThat(console.post("/api/logout", session + header + "\r\n", "{}").status())
        .isEqualTo(403);
    assertThat(console.post("/api/login", header + "\r\n", "{\"token\":\"x\"}").status())
        .isEqualTo(403);
    assertThat(console.get("/api/me", session).status()).as("still logged in").isEqualTo(200);
    assertThat(console.audit()).contains("\"outcome\":\"ORIGIN\"");
  }

  @Test
  void a_forged_csrf_token_is_audited_unless_the_own_page_has_one_of_before_a_restart()
      throws IOException {
    String forged = session.replaceFirst("X-Tunnel-Csrf: .*", "X-Tunnel-Csrf: forged");
    String own = "Origin: http://" + console.host() + "\r\n";
    assertThat(console.post("/api/logout", forged + own, "{}").body()).contains("\"CSRF\"");
    assertThat(console.audit()).doesNotContain("CSRF");
    assertThat(console.post("/api/logout", forged, "{}").body()).contains("\"CSRF\"");
    assertThat(console.audit()).contains("\"outcome\":\"CSRF\"");
    assertThat(console.get("/api/me", session).status()).as("still logged in").isEqualTo(200);
  }

  @Test
  void the_own_page_is_let_in_by_origin_and_sec_fetch_site() throws IOException {
    String own = "Origin: http://" + console.host() + "\r\nSec-Fetch-Site: same-origin\r\n";
    assertThat(console.get("/api/me", session + own).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/../health",
        "/console/..%2f..%2fetc/passwd",
        "/console/%2e%2e/%2e%2e/etc/passwd",
        "/console/%252e%252e/etc/passwd",
        "/console//etc/passwd",
        "/console/index.html%00.js",
        "/console/\\..\\secret",
        "/console/lib/lit/../../../index.html",
        "/api/../console/index.html",
        "/console/;/index.html",
      })
  void a_path_that_is_written_to_trick_is_refused_and_audited(String path) throws IOException {
    Reply reply = console.get(path, session);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("\"code\":\"PATH\"");
    assertThat(console.audit()).contains("\"outcome\":\"PATH\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//127.0.0.1/console/index.html",
        "/%63onsole/index.html",
        "/Console/index.html",
        "/console/nothing.js",
        "/console/META-INF/MANIFEST.MF",
        "/console/lib/lit/package.json",
        "/api/nothing"
      })
  void a_path_that_is_on_no_list_is_not_found(String path) throws IOException {
    assertThat(console.get(path, session).status()).isEqualTo(404);
  }

  @Test
  void all_answers_carry_the_headers_that_keep_foreign_scripts_out() throws IOException {
    for (String path : List.of("/", "/api/me", "/console/nothing", "/console/%00")) {
      assertThat(console.get(path, "").head())
          .contains(
              "content-security-policy: default-src 'none'; script-src 'self'; worker-src 'self';")
          .contains("frame-ancestors 'none'")
          .contains("x-content-type-options: nosniff")
          .contains("referrer-policy: no-referrer")
          .contains("cross-origin-opener-policy: same-origin");
    }
  }

  @Test
  void bodies_and_headers_beyond_the_limit_are_refused() throws IOException {
    assertRefused(console.post("/api/login", "", "x".repeat(65_537)), 413, "BODY_TOO_LARGE");
    assertRefused(
        console.get("/api/me", "X: " + "x".repeat(9_000) + "\r\n"), 431, "HEADER_TOO_LARGE");
    assertRefused(console.get("/api/" + "x".repeat(5_000), ""), 414, "LINE_TOO_LONG");
    assertRefused(console.get("/api/me x", ""), 400, "INVALID_REQUEST");
    try (Browser browser = console.browser()) {
      browser.send(
          "POST /api/login HTTP/1.1\r\nHost: "
              + console.host()
              + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
      String chunk = "2000\r\n" + "x".repeat(0x2000) + "\r\n";
      browser.send(chunk.repeat(9));
      assertRefused(browser.reply(), 413, "BODY_TOO_LARGE");
      assertThat(browser.isClosed()).isTrue();
    }
    try (Browser browser = console.browser()) {
      String host = "Host: " + console.host() + "\r\n";
      assertThat(
              browser
                  .ask(
                      "POST /api/login",
                      host
                          + "Content-Type: application/json\r\nExpect: 100-continue\r\n"
                          + "Content-Length: 65537\r\n",
                      "")
                  .status())
          .as("a body that is only announced")
          .isEqualTo(413);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /api/me HTTP/1.1\r\nX: LARGE\r\n\r\n",
        "GET /api/LARGE HTTP/1.1\r\n\r\n",
        "GET api/me HTTP/1.1\r\n\r\n",
        "this is not HTTP\r\n\r\n",
        "POST /api/login HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
        "POST /api/login HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
      })
  void a_request_that_cannot_be_read_is_refused_on_a_connection_in_use(String request)
      throws IOException {
    try (Browser browser = console.browser()) {
      String host = "Host: " + console.host() + "\r\n";
      assertThat(browser.ask("GET /api/me", host + session, "").status()).isEqualTo(200);
      browser.send(request.replace("LARGE", "x".repeat(9_000)));
      Reply reply = browser.reply();
      assertThat(reply.status()).isIn(400, 413, 414, 431);
      assertRefused(reply, reply.status(), "");
      assertThat(browser.isClosed()).isTrue();
    }
  }

  private static void assertRefused(Reply reply, int status, String code) {
    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply.head()).contains("content-type: application/json");
    HttpServer.HEADERS.forEach(
        (name, value) -> assertThat(reply.head()).contains(name + ": " + value));
    JsonObject refusal = JsonParser.parseString(reply.body()).getAsJsonObject();
    assertThat(refusal.keySet()).containsExactly("code", "message");
    assertThat(refusal.get("code").getAsString()).contains(code);
  }

  @Test
  void a_target_that_names_this_server_is_its_path_and_one_that_names_another_is_refused()
      throws IOException {
    String own = "GET http://" + console.host();
    assertThat(console.ask(own + "/api/me", session, "").status()).isEqualTo(200);
    assertThat(console.ask(own + "/console/index.html", "", "").status()).isEqualTo(200);
    assertThat(console.ask(own + "/console/../health", "", "").status()).isEqualTo(400);
    assertThat(console.ask("GET http://evil.example.com/api/me", session, "").status())
        .isEqualTo(421);
    assertThat(console.audit()).contains("\"outcome\":\"HOST\"");
  }

  @Test
  void a_request_of_http_1_0_is_answered_and_its_connection_closed() throws IOException {
    try (Browser browser = console.browser()) {
      browser.send("GET /api/me HTTP/1.0\r\nHost: " + console.host() + "\r\n" + session + "\r\n");
      assertThat(browser.reply().status()).isEqualTo(200);
      assertThat(browser.isClosed()).isTrue();
    }
    try (Browser browser = console.browser()) {
      browser.send("GET /api/me HTTP/1.0\r\n" + session + "\r\n");
      assertThat(browser.reply().status()).as("without a host").isEqualTo(421);
    }
  }

  @Test
  void requests_with_and_without_a_session_on_one_connection_do_not_mix() throws IOException {
    try (Browser browser = console.browser()) {
      String host = "Host: " + console.host() + "\r\n";
      assertThat(browser.ask("GET /api/me", host + session, "").status()).isEqualTo(200);
      assertThat(browser.ask("GET /api/me", host, "").status()).isEqualTo(401);
      assertThat(browser.ask("GET /health", host, "").body()).contains("UP");
      assertThat(browser.isClosed()).as("a probe's page closes").isTrue();
    }
  }

  @Test
  void pages_without_end_take_no_place_of_probes_and_one_too_many_is_told_so() throws IOException {
    List<Browser> pages = new ArrayList<>();
    String host = "Host: " + console.host() + "\r\n";
    for (int i = 0; i < PLACES; i++) {
      Browser page = console.browser();
      pages.add(page);
      assertThat(page.ask("GET /", host, "").status()).isEqualTo(200);
    }
    try (Browser further = console.browser()) {
      Reply reply = further.ask("GET /", host, "");
      assertThat(reply.status()).isEqualTo(503);
      assertThat(reply.body()).contains("BUSY");
      assertThat(further.isClosed()).isTrue();
    }
    assertThat(console.get("/health", "").status()).isEqualTo(200);
    for (Browser page : pages) {
      assertThat(page.ask("GET /", host, "").status()).as("nobody is dropped").isEqualTo(200);
      page.close();
    }
  }

  @Test
  void a_sender_that_never_ends_its_request_holds_no_place_of_a_probe() throws IOException {
    try (Browser slow = console.browser()) {
      slow.send(
          "POST /api/login HTTP/1.1\r\nHost: " + console.host() + "\r\nContent-Length: 9\r\n");
      slow.send("\r\n{");
      for (int i = 0; i < 100; i++) {
        assertThat(console.get("/health", "").status()).isEqualTo(200);
      }
    }
  }
}
