package io.tunnel.server.console;

import io.tunnel.server.forward.Forwarding;
import io.tunnel.server.metrics.DeliveryAges;
import io.tunnel.server.metrics.HttpHosts;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A console on a port of its own, with a closed or an open gate, and a client that sends bytes. */
final class TestConsole implements Closeable {

  /** With the keys, tokens and rights. */
  final TestGate gate = new TestGate();

  /** How long answers were held back, in nanoseconds. */
  final List<Long> delaysNanos = new CopyOnWriteArrayList<>();

  /** The sessions. */
  final LogIns logIns;

  /** What forwarded requests are answered. */
  final Forwards forwards = new Forwards();

  /** What pages are told of the server. */
  final Told told = new Told();

  /** The site. */
  final ConsoleSite site;

  private final Path directory;
  private final AuditTrail trail;
  private final HttpServer http;

  TestConsole(Path directory, boolean isClosed, ConsoleConfig config) throws IOException {
    this.directory = directory;
    trail =
        new AuditTrail(
            AuditTrail.Settings.DEFAULT,
            directory,
            Optional.empty(),
            new AuditTrail.Clock(gate.nanos::get, gate.epochMs::get),
            Runnable::run);
    AuditLog audit = new AuditLog(trail, gate.catalog);
    logIns =
        new LogIns(
            isClosed ? gate.gate : Gate.open(),
            audit,
            new LogIns.Port(TestSecurity.chance(7), gate.nanos::get, this::later));
    NetConfig net = new NetConfig("127.0.0.1", 0, 0, 1, 100, false);
    site =
        new ConsoleSite(
            config,
            HttpHosts.of(net),
            audit,
            logIns,
            new Snapshots(told, gate.epochMs::get, new Peers(forwards, gate.nanos::get)),
            new ConsoleSite.Backing(told, new Asks(forwards, Runnable::run)));
    http =
        new HttpServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            net,
            Runnable::run,
            new Pages(),
            HttpServer.Door.open(),
            site);
  }

  private CompletableFuture<Answer> later(Answer answer, long delayNanos) {
    delaysNanos.add(delayNanos);
    return CompletableFuture.completedFuture(answer);
  }

  private record Pages() implements HttpServer.Pages {
    @Override
    public boolean isHealthy() {
      return true;
    }

    @Override
    public String health() {
      return "{\"status\":\"UP\"}";
    }

    @Override
    public Iterator<CharSequence> metrics() {
      return List.<CharSequence>of("figure 1\n").iterator();
    }
  }

  /** The server behind the pages; a test sets what it tells. */
  static final class Told implements ConsoleServer {

    volatile ServerMeters.Totals totals =
        new ServerMeters.Totals(0, 0, 0, 0, DeliveryAges.Counts.none());
    volatile List<TunnelDescription> tunnels = List.of();
    volatile Optional<ClusterDescription> cluster = Optional.empty();
    final AtomicInteger looks = new AtomicInteger();

    @Override
    public Optional<String> node() {
      return cluster.map(ClusterDescription::node);
    }

    @Override
    public Optional<ClusterDescription> cluster() {
      return cluster;
    }

    @Override
    public String version() {
      return "test";
    }

    @Override
    public String health() {
      return "{\"status\":\"UP\"}";
    }

    @Override
    public ServerMeters.Totals totals() {
      return totals;
    }

    @Override
    public Taken taken() {
      return new Taken(3, 1e12, 5e9, 1e8, 1e9, Double.NaN, 0.25);
    }

    @Override
    public <T> Optional<List<T>> tunnels(Function<TunnelDescription, T> figures) {
      looks.incrementAndGet();
      return Optional.of(tunnels.stream().map(figures).toList());
    }
  }

  /** A request that was forwarded. */
  record Forwarded(
      Forwarding.OnBehalf who, Optional<String> node, Operation operation, String payload) {}

  /** Answers forwarded requests as a test says. */
  static final class Forwards implements Forwarding {

    final List<Forwarded> asked = new CopyOnWriteArrayList<>();
    volatile Function<byte[], CompletableFuture<byte[]>> answer =
        payload -> CompletableFuture.completedFuture(new byte[0]);

    /** Answers DESCRIBE_NODE by the name of the node. */
    volatile Function<String, CompletableFuture<byte[]>> answerOf =
        node -> new CompletableFuture<>();

    @Override
    public CompletableFuture<byte[]> ask(
        OnBehalf who,
        Optional<String> node,
        Operation operation,
        byte[] payload,
        Duration deadline) {
      asked.add(new Forwarded(who, node, operation, new String(payload, StandardCharsets.UTF_8)));
      return operation == Operation.DESCRIBE_NODE
          ? answerOf.apply(node.orElseThrow())
          : answer.apply(payload);
    }

    /** What readings ask for. */
    final List<ReadPartition> reads = new CopyOnWriteArrayList<>();

    volatile Function<ReadPartition, CompletableFuture<Changes>> changes =
        from ->
            CompletableFuture.completedFuture(
                new Changes(Optional.empty(), OptionalLong.empty(), Optional.empty()));

    @Override
    public CompletableFuture<Changes> read(
        OnBehalf who, ReadPartition from, int bytes, Duration patience) {
      asked.add(new Forwarded(who, Optional.empty(), Operation.READ_PARTITION, ""));
      reads.add(from);
      return changes.apply(from);
    }

    @Override
    public void close() {}
  }

  /** A token for a principal. */
  TokenSecret token(String principal) throws IOException {
    return (TokenSecret)
        gate.administration.createToken(
            Json.encode(new CreateToken(principal, Optional.empty())), gate.caller("admin"));
  }

  /** The end of a token. */
  void revoke(TokenSecret token) throws IOException {
    gate.administration.revokeToken(
        Json.encode(new SecurityId(token.info().id())), gate.caller("admin"));
  }

  /** The lines of the audit log so far. */
  String audit() throws IOException {
    Path file = directory.resolve("audit.jsonl");
    return Files.exists(file) ? Files.readString(file) : "";
  }

  int port() {
    return http.localAddress().getPort();
  }

  String host() {
    return "127.0.0.1:" + port();
  }

  Browser browser() throws IOException {
    return new Browser(http.localAddress());
  }

  /** One request of a connection of its own, with headers that each end with a line break. */
  Reply ask(String line, String headers, String body) throws IOException {
    try (Browser browser = browser()) {
      return browser.ask(line, "Host: " + host() + "\r\n" + headers, body);
    }
  }

  Reply get(String path, String headers) throws IOException {
    return ask("GET " + path, headers, "");
  }

  Reply post(String path, String headers, String body) throws IOException {
    return ask("POST " + path, "Content-Type: application/json\r\n" + headers, body);
  }

  @Override
  public void close() throws IOException {
    http.close();
    trail.close();
  }

  /**
   * An answer.
   *
   * @param head status line and headers
   */
  record Reply(String head, String body) {

    int status() {
      return Integer.parseInt(head.split(" ", 3)[1]);
    }

    /** The cookie that the answer sets, as a browser sends it back. */
    String cookie() {
      int at = head.indexOf("set-cookie: ");
      return head.substring(at + "set-cookie: ".length(), head.indexOf(';', at));
    }

    String csrf() {
      return com.google.gson.JsonParser.parseString(body)
          .getAsJsonObject()
          .get("csrf")
          .getAsString();
    }
  }

  /** A connection. */
  static final class Browser implements Closeable {

    private final Socket socket = new Socket();

    Browser(InetSocketAddress address) throws IOException {
      socket.connect(address, 30_000);
      socket.setSoTimeout(30_000);
    }

    void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    Reply ask(String line, String headers, String body) throws IOException {
      send(
          line
              + " HTTP/1.1\r\n"
              + headers
              + (body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n")
              + "\r\n"
              + body);
      return reply();
    }

    /** The next answer, whose length a header tells. */
    Reply reply() throws IOException {
      InputStream in = socket.getInputStream();
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
        int next = in.read();
        if (next < 0) {
          return new Reply("closed -1 ", head.toString(StandardCharsets.ISO_8859_1));
        }
        head.write(next);
      }
      String text = head.toString(StandardCharsets.ISO_8859_1);
      int at = text.indexOf("content-length: ");
      int length = at < 0 ? 0 : Integer.parseInt(text.substring(at + 16, text.indexOf('\r', at)));
      return new Reply(text, new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }

    /** The bytes up to and with this text. */
    String readUntil(String end) throws IOException {
      ByteArrayOutputStream read = new ByteArrayOutputStream();
      while (!read.toString(StandardCharsets.UTF_8).endsWith(end)) {
        int next = socket.getInputStream().read();
        if (next < 0) {
          throw new IOException("closed behind " + read.toString(StandardCharsets.UTF_8));
        }
        read.write(next);
      }
      return read.toString(StandardCharsets.UTF_8);
    }

    /** All bytes until the server closes the connection. */
    String rest() throws IOException {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    boolean isClosed() throws IOException {
      return socket.getInputStream().read() < 0;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
