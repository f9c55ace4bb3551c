package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.NetLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class HttpServerTest {

  private static final int CONNECTIONS_MAX = 3;
  private static final int PIECE_BYTES = 1 << 16;
  private static final long PAGE_BYTES = 1 << 30;
  private static final Gson GSON = new Gson();

  private final Queue<Runnable> figuresWanted = new ArrayDeque<>();
  private boolean areFiguresRefused;
  private Iterator<CharSequence> figures =
      List.<CharSequence>of("figure 1\n", "figure \u00fc\n").iterator();
  private volatile boolean isHealthy = true;
  private HttpServer server;

  private final class Pages implements HttpServer.Pages {
    @Override
    public boolean isHealthy() {
      return isHealthy;
    }

    @Override
    public String health() {
      return "{\"status\":\"?\"}";
    }

    @Override
    public Iterator<CharSequence> metrics() {
      return figures;
    }
  }

  @BeforeEach
  void open() throws IOException {
    server =
        new HttpServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            config(),
            this::makeFigures,
            new Pages(),
            HttpServer.Door.open(),
            HttpServer.Site.NONE);
  }

  private static NetConfig config() {
    JsonObject limits = JsonParser.parseString(GSON.toJson(NetLimits.DEFAULT)).getAsJsonObject();
    limits.addProperty("httpConnectionsMax", CONNECTIONS_MAX);
    return new NetConfig(
        "127.0.0.1", 0, 0, 1, 100, false, "here", GSON.fromJson(limits, NetLimits.class));
  }

  /** Nobody makes any until a test does. */
  private synchronized void makeFigures(Runnable task) {
    if (areFiguresRefused) {
      throw new RejectedExecutionException();
    }
    figuresWanted.add(task);
    notifyAll();
  }

  private synchronized Runnable awaitFigures() throws InterruptedException {
    while (figuresWanted.isEmpty()) {
      wait(30_000);
    }
    return figuresWanted.remove();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.connect(server.localAddress(), 30_000);
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private String answer(String line) throws IOException {
    try (Socket socket = connect()) {
      send(socket, line + " HTTP/1.1\r\nHost: here\r\n\r\n");
      return rest(socket);
    }
  }

  @Test
  void health_is_answered_with_a_query_too() throws IOException {
    assertThat(answer("GET /health")).startsWith("HTTP/1.1 200").endsWith("{\"status\":\"?\"}\n");
    assertThat(answer("GET /health?x=1")).startsWith("HTTP/1.1 200");
    isHealthy = false;
    assertThat(answer("GET /health")).startsWith("HTTP/1.1 503");
  }

  @Test
  void who_asks_another_name_is_refused() throws IOException {
    try (Socket socket = connect()) {
      send(socket, "GET /health HTTP/1.1\r\nHost: evil.example.com\r\n\r\n");
      assertThat(rest(socket)).startsWith("HTTP/1.1 421").contains("net.httpHosts");
    }
  }

  @Test
  void head_is_what_get_is_without_the_body() throws IOException {
    assertThat(answer("HEAD /health"))
        .startsWith("HTTP/1.1 200")
        .contains("content-length: 15")
        .endsWith("\r\n\r\n");
    assertThat(answer("POST /health")).startsWith("HTTP/1.1 405").contains("allow: GET, HEAD");
    assertThat(answer("GET /else")).startsWith("HTTP/1.1 404");
  }

  @Test
  void a_request_that_cannot_be_read_is_refused_in_the_form_of_all_refusals() throws IOException {
    assertRefused(
        raw("GET /health HTTP/1.1\r\nX: " + "x".repeat(200 * 1024) + "\r\n\r\n"),
        431,
        "HEADER_TOO_LARGE");
    assertRefused(answer("GET /" + "x".repeat(10_000)), 414, "LINE_TOO_LONG");
    assertRefused(
        raw("GET /health HTTP/1.1\r\nHost: here\r\nContent-Length: 9000\r\n\r\n"),
        413,
        "BODY_TOO_LARGE");
    assertRefused(answer("GET health"), 400, "INVALID_REQUEST");
    assertRefused(
        raw("POST /health HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        400,
        "INVALID_REQUEST");
    assertRefused(answer("POST /health"), 405, "METHOD");
    assertRefused(answer("GET /else"), 404, "NOT_FOUND");
  }

  private String raw(String text) throws IOException {
    try (Socket socket = connect()) {
      send(socket, text);
      return rest(socket);
    }
  }

  private static void assertRefused(String answer, int status, String code) {
    assertThat(answer).startsWith("HTTP/1.1 " + status);
    HttpServer.HEADERS.forEach((name, value) -> assertThat(answer).contains(name + ": " + value));
    assertThat(answer).contains("content-type: application/json");
    JsonObject refusal =
        JsonParser.parseString(answer.substring(answer.indexOf("\r\n\r\n"))).getAsJsonObject();
    assertThat(refusal.keySet()).containsExactly("code", "message");
    assertThat(refusal.get("code").getAsString()).isEqualTo(code);
  }

  @Test
  void a_target_that_names_this_server_is_its_path() throws IOException {
    assertThat(raw("GET http://here/health HTTP/1.1\r\nHost: elsewhere\r\n\r\n"))
        .as("the host of the target counts")
        .startsWith("HTTP/1.1 200");
    assertThat(answer("GET HTTP://127.0.0.1:1/health?x=1")).startsWith("HTTP/1.1 200");
    assertRefused(answer("GET http://evil.example.com/health"), 421, "HOST");
    assertRefused(answer("GET http://here"), 404, "NOT_FOUND");
    assertRefused(answer("GET http://here?x"), 404, "NOT_FOUND");
    assertRefused(answer("GET http:///health"), 400, "INVALID_REQUEST");
    assertRefused(answer("GET https://here/health"), 400, "INVALID_REQUEST");
    assertRefused(answer("GET http://x@here/health"), 421, "HOST");
  }

  private String figures(String request) throws IOException, InterruptedException {
    try (Socket socket = connect()) {
      send(socket, request);
      awaitFigures().run();
      return rest(socket);
    }
  }

  @Test
  void a_page_of_figures_comes_in_chunks() throws IOException, InterruptedException {
    assertThat(figures("GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n"))
        .startsWith("HTTP/1.1 200")
        .contains("transfer-encoding: chunked", "connection: close", "content-type: text/plain")
        .doesNotContain("content-length")
        .endsWith("\r\n\r\n9\r\nfigure 1\n\r\na\r\nfigure \u00fc\n\r\n0\r\n\r\n");
  }

  @Test
  void a_client_that_knows_no_chunks_reads_to_the_end_of_the_connection()
      throws IOException, InterruptedException {
    assertThat(figures("GET /metrics HTTP/1.0\r\nHost: here\r\n\r\n"))
        .startsWith("HTTP/1.1 200")
        .doesNotContain("transfer-encoding")
        .endsWith("\r\n\r\nfigure 1\nfigure \u00fc\n");
  }

  @Test
  void the_head_of_figures_has_no_body() throws IOException, InterruptedException {
    assertThat(figures("HEAD /metrics HTTP/1.1\r\nHost: here\r\n\r\n"))
        .startsWith("HTTP/1.1 200")
        .endsWith("\r\n\r\n")
        .doesNotContain("figure");
  }

  /** A page without an end, of which a client reads a little: the rest is never made. */
  @Test
  void figures_are_made_as_fast_as_they_are_read() throws IOException, InterruptedException {
    AtomicLong made = new AtomicLong();
    String piece = "x".repeat(PIECE_BYTES);
    figures =
        Stream.<CharSequence>generate(() -> piece)
            .peek(unused -> made.addAndGet(PIECE_BYTES))
            .iterator();
    try (Socket socket = connect()) {
      send(socket, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
      awaitFigures().run();
      assertThat(socket.getInputStream().readNBytes(PIECE_BYTES)).hasSize(PIECE_BYTES);
      assertThat(answer("GET /health")).as("the event loop is free").startsWith("HTTP/1.1 200");
      assertThat(made.get()).as("fits into buffers of sockets").isLessThan(PAGE_BYTES);
    }
  }

  @Test
  void health_does_not_wait_for_figures() throws IOException, InterruptedException {
    try (Socket figures = connect()) {
      send(figures, "GET /metrics HTTP/1.1\r\n\r\n");
      Runnable maker = awaitFigures();
      assertThat(answer("GET /health")).startsWith("HTTP/1.1 200");
      maker.run();
      assertThat(rest(figures)).startsWith("HTTP/1.1 200").contains("figure 1\n");
    }
    areFiguresRefused = true;
    assertThat(answer("GET /metrics")).startsWith("HTTP/1.1 503");
  }

  @Test
  void a_new_connection_takes_the_place_of_the_oldest() throws IOException {
    List<Socket> idle = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
      idle.add(connect());
    }
    assertThat(answer("GET /health")).startsWith("HTTP/1.1 200");
    assertThat(idle.get(0).getInputStream().read()).isEqualTo(-1);
    send(idle.get(2), "GET /health HTTP/1.1\r\n\r\n");
    assertThat(rest(idle.get(2))).startsWith("HTTP/1.1 200");
    for (Socket socket : idle) {
      socket.close();
    }
  }
}
