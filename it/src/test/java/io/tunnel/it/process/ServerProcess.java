package io.tunnel.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.security.directory.InitCommand;
import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.fixtures.FreePort;
import io.tunnel.sdk.security.Secret;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** The real server, on a directory and ports that stay the same when it is started again. */
public final class ServerProcess implements Service {

  public static final String MAIN = "io.tunnel.cli.TunnelCommand";

  private static final Pattern LISTENING =
      Pattern.compile("tunnel server listening on 127\\.0\\.0\\.1:(\\d+)");
  private static final Pattern HTTP = Pattern.compile("http on 127\\.0\\.0\\.1:(\\d+)");

  private static final String PRINCIPAL = "tests";
  private static final List<Permission> RIGHTS =
      List.of(
          Permission.allow(
              PRINCIPAL, List.of("create", "read", "write", "alter", "drop"), "table:*"),
          Permission.allow(PRINCIPAL, List.of("create", "consume", "drop", "operate"), "tunnel:*"));

  private final Stage stage;
  private final String name;
  private final Path data;
  private final List<String> options;
  private final int port;
  private String classPath = ChildProcess.CLASS_PATH;
  private List<String> jvmOptions = ChildProcess.JVM_OPTIONS;
  private Optional<Path> security = Optional.empty();
  private Optional<String> client = Optional.empty();
  private int httpPort;
  private ChildProcess child;

  public ServerProcess(Stage stage, Path data, List<String> options) {
    this(stage, "server", data, FreePort.find(), options);
  }

  /** Starts a server; {@code name} is what the transcript calls it. */
  public ServerProcess(Stage stage, String name, Path data, int port, List<String> options) {
    this.stage = stage;
    this.name = name;
    this.data = data;
    this.port = port;
    this.options = List.copyOf(options);
  }

  /** From its next start on it runs in a JVM with these options. */
  ServerProcess with(List<String> newJvmOptions) {
    jvmOptions = List.copyOf(newJvmOptions);
    return this;
  }

  /** From its next start on the server is of that build. */
  public ServerProcess of(Build build) {
    classPath = build.classPath();
    jvmOptions = build.jvmOptions();
    return this;
  }

  /**
   * From the next start on the server asks clients for a key; the tests' own clients are
   * administrators.
   *
   * @param directory which is made by this
   */
  ServerProcess closed(Path directory) {
    int exit = new CommandLine(new InitCommand()).execute("--dir", directory.toString());
    assertThat(exit).as("'security init'").isZero();
    security = Optional.of(directory);
    return this;
  }

  /**
   * From now on the tests' own clients come with a key of the catalog and rights on all tables and
   * tunnels, and not as administrators. It must be closed and run.
   */
  ServerProcess withRights() throws IOException {
    LoopbackSecurity made = LoopbackSecurity.in(security.orElseThrow().getParent(), Instant.EPOCH);
    client = Optional.of(made.forClients(address(), PRINCIPAL, RIGHTS));
    return this;
  }

  /** Stops it as SIGSTOP does: its connections stay, and nobody answers. */
  public void suspend() {
    child.suspend();
  }

  /** It goes on as if no time had passed. */
  public void resume() {
    child.goOn();
  }

  /** Starts it and returns when it serves. */
  public ServerProcess start() {
    begin();
    return awaitReady();
  }

  /** Starts it. */
  public void begin() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "server",
                "--data",
                data.toString(),
                "--port",
                "" + port,
                "--http-port",
                "" + httpPort));
    arguments.addAll(options);
    security.ifPresent(directory -> arguments.addAll(List.of("--security", directory.toString())));
    child = stage.child(name, classPath, jvmOptions, MAIN, arguments);
  }

  /** Returns when it serves. */
  public ServerProcess awaitReady() {
    Matcher listening = child.awaitLine(LISTENING);
    assertThat(Integer.parseInt(listening.group(1))).isEqualTo(port);
    httpPort = Integer.parseInt(child.awaitLine(HTTP).group(1));
    return this;
  }

  public Path data() {
    return data;
  }

  public int port() {
    return port;
  }

  @Override
  public String endpoint() {
    return client.orElseGet(this::administratorsEndpoint);
  }

  private String address() {
    return "127.0.0.1:" + port;
  }

  private String administratorsEndpoint() {
    return security
        .map(directory -> "profile:" + directory + "/admin.json@" + address())
        .orElseGet(this::address);
  }

  /** Whether its ports speak TLS. */
  public boolean isClosed() {
    return security.isPresent();
  }

  /** The security directory of a closed server. */
  public Optional<Path> security() {
    return security;
  }

  /** Where its pages are. */
  public int httpPort() {
    return httpPort;
  }

  public boolean isAlive() {
    return child != null && child.isAlive();
  }

  public ChildProcess child() {
    return child;
  }

  /** Stops it gracefully. */
  public void stop() {
    child.terminate();
    assertThat(child.awaitExit()).as("exit code of a server that was asked to stop").isZero();
  }

  /** Ends it as a crash would. */
  public void kill() {
    child.kill();
  }

  /** The body of an HTTP page, which must be served with {@code status}. */
  public String http(String path, int status) {
    HttpResponse<String> response = get(path);
    assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(status);
    return response.body();
  }

  /** An HTTP page as it is served now. */
  public HttpResponse<String> get(String path) {
    return get(path, Optional.empty());
  }

  /** As {@link #get(String)}, for the owner of a token. */
  public HttpResponse<String> get(String path, Optional<Secret> token) {
    String scheme = isClosed() ? "https" : "http";
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(scheme + "://127.0.0.1:" + httpPort + path))
            .timeout(Duration.ofSeconds(60));
    token.ifPresent(
        secret ->
            request.header(
                "Authorization", "Bearer " + new String(secret.utf8(), StandardCharsets.UTF_8)));
    try {
      return httpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError("no answer to " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private HttpClient httpClient() throws IOException {
    return security.isEmpty()
        ? HttpClient.newHttpClient()
        : HttpClient.newBuilder()
            .sslContext(Trust.in(security.get().resolve("authority.crt")))
            .build();
  }
}
