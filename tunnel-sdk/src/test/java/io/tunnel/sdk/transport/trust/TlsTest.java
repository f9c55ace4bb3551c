package io.tunnel.sdk.transport.trust;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeAuthority;
import io.tunnel.sdk.fake.FakeAuthority.Issued;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.security.ClientCertificate;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections with TLS: who is trusted, and what is said of who is not. */
class TlsTest {

  private final FakeAuthority authority = new FakeAuthority("test");
  private final ClientSecurity trusting =
      ClientSecurity.tls().withAuthority(Pem.text(authority.pem()));

  private static final class Idle implements IChannelProcessor {
    @Override
    public void process(ProcessRecordsInput input) {}

    @Override
    public void shutdown() {}
  }

  private static FakeServer listing(FakeServer server) {
    byte[] tables = Json.encode(new Control.TableList(List.of("t")));
    return server.on(
        Operation.LIST_TABLES, (connection, frame) -> connection.answer(frame, tables));
  }

  private FakeServer serve(String... names) {
    return listing(authority.serve(authority.issue(names), false));
  }

  private static List<String> tables(ClientConfig config) {
    try (TableClient client = TableClient.connect(config)) {
      return client.listTables();
    }
  }

  private static void assertLasting(ClientConfig config, String... words) {
    long startNanos = System.nanoTime();
    assertThatThrownBy(() -> tables(config))
        .isInstanceOfSatisfying(
            ConnectionException.class,
            failure -> {
              assertThat(failure.isLasting()).isTrue();
              assertThat(failure.retriable()).isFalse();
            })
        .message()
        .startsWith("cannot connect to " + config.endpoints().get(0) + ": ")
        .contains(words)
        .doesNotContain("Exception", "PKIX");
    try (TunnelClient client = new TunnelClient(config)) {
      TunnelWorker worker = new TunnelWorker("id", client, new TunnelWorkerConfig(new Idle()));
      assertThatThrownBy(worker::connectAndWorking)
          .isInstanceOf(ConnectionException.class)
          .hasMessageContaining(words[0]);
      worker.shutdown();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(config.retryDeadline());
  }

  @Test
  void a_server_of_the_authority_is_spoken_to_by_name_and_by_address() {
    try (FakeServer server = serve("localhost", "127.0.0.1")) {
      ClientConfig byAddress = server.config().withSecurity(trusting);
      assertThat(tables(byAddress)).containsExactly("t");
      ClientConfig byName = ClientConfig.of("localhost", byAddress.port());
      assertThat(tables(byName.withSecurity(trusting))).containsExactly("t");
    }
  }

  @Test
  void the_authority_is_read_again_by_the_next_client(@TempDir Path files) throws IOException {
    Path file = files.resolve("ca.crt");
    Files.writeString(file, new FakeAuthority("other").pem());
    try (FakeServer server = serve("127.0.0.1")) {
      ClientConfig config =
          server.config().withSecurity(ClientSecurity.tls().withAuthority(Pem.file(file)));
      assertLasting(config, "is not of the authority in " + file);
      Files.writeString(file, authority.pem());
      assertThat(tables(config)).containsExactly("t");
    }
  }

  @Test
  void nobody_else_is_trusted() {
    FakeAuthority other = new FakeAuthority("test");
    try (FakeServer server = listing(other.serve(other.issue("127.0.0.1"), false))) {
      assertLasting(
          server.config().withSecurity(trusting),
          "the server's certificate is not of the authority of the profile");
      assertLasting(
          server.config().withSecurity(ClientSecurity.tls()),
          "is not of an authority that the JDK trusts; the authority.crt");
    }
  }

  @Test
  void a_certificate_is_for_one_name_and_for_one_time() {
    try (FakeServer server = serve("elsewhere.example", "10.0.0.1")) {
      assertLasting(
          server.config().withSecurity(trusting), "is for another name or address", "--name");
      ClientConfig byName = ClientConfig.of("localhost", server.config().port());
      assertLasting(byName.withSecurity(trusting), "is for another name or address");
    }
    Issued old = authority.issueExpired("127.0.0.1");
    try (FakeServer server = listing(authority.serve(old, false))) {
      assertLasting(server.config().withSecurity(trusting), "has expired");
    }
  }

  @Test
  void a_server_without_tls_and_a_client_with_it_part_at_once() throws IOException {
    try (FakeServer server = listing(new FakeServer())) {
      assertThat(tables(server.config())).containsExactly("t");
    }
    // A server answers in plain text that it cannot read the bytes.
    try (ServerSocket socket = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
      ClientConfig config = answering(socket, "not a record of TLS");
      assertLasting(
          config.withSecurity(trusting),
          "the server does not speak TLS; leave TLS out of the profile");
    }
  }

  /** With TLS and without, and no client asks again: the port does not become another. */
  @Test
  void the_http_port_of_a_server_is_recognised_at_once() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
      ClientConfig config = answering(socket, "HTTP/1.1 400 Bad Request\r\n\r\n");
      String[] words = {"it answers in HTTP", "clients have another (7650 unless --port"};
      assertLasting(config, words);
      assertLasting(config.withSecurity(trusting), words);
    }
  }

  private static ClientConfig answering(ServerSocket socket, String text) {
    Thread answering = new Thread(() -> answerAll(socket, text));
    answering.setDaemon(true);
    answering.start();
    return ClientConfig.of("127.0.0.1", socket.getLocalPort());
  }

  private static void answerAll(ServerSocket socket, String text) {
    try {
      while (true) {
        var accepted = socket.accept();
        accepted.getOutputStream().write(text.getBytes(US_ASCII));
        accepted.shutdownOutput();
      }
    } catch (IOException e) {
      // Closed: the test is over.
    }
  }

  @Test
  void what_a_server_with_tls_says_to_a_client_without_it_is_heard() {
    try (FakeServer server = new FakeServer()) {
      server.on(
          Operation.HELLO,
          (connection, frame) -> {
            connection.error(0, 0, ErrorCode.INVALID_REQUEST);
            connection.drop();
          });
      assertLasting(server.config(), "refused by the test: INVALID_REQUEST");
    }
  }

  @Test
  void a_server_that_says_nothing_in_the_handshake_is_given_up() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
      ClientConfig config =
          ClientConfig.of("127.0.0.1", silent.getLocalPort())
              .withSecurity(trusting)
              .withConnectDeadline(Duration.ofMillis(200))
              .withRetryDeadline(Duration.ZERO);
      assertThatThrownBy(() -> tables(config))
          .isInstanceOfSatisfying(
              ConnectionException.class, failure -> assertThat(failure.retriable()).isTrue())
          .hasMessageContaining("the server did not take part in the TLS handshake in time");
    }
  }

  @Test
  void a_server_that_asks_who_calls_is_shown_a_certificate(@TempDir Path files) throws IOException {
    Issued mine = authority.issue("me");
    Path chain = Files.writeString(files.resolve("me.crt"), FakeAuthority.pem(mine));
    Path key = Files.writeString(files.resolve("me.key"), FakeAuthority.keyPem(mine));
    ClientCertificate own = new ClientCertificate.PemFiles(chain, key);
    Issued stranger = new FakeAuthority("test").issue("me");
    Path other = Files.writeString(files.resolve("x.crt"), FakeAuthority.pem(stranger));
    Path otherKey = Files.writeString(files.resolve("x.key"), FakeAuthority.keyPem(stranger));
    try (FakeServer server = listing(authority.serve(authority.issue("127.0.0.1"), true))) {
      assertThat(tables(server.config().withSecurity(trusting.withCertificate(own))))
          .containsExactly("t");
      assertLasting(
          server.config().withSecurity(trusting),
          "the server asks for a certificate of the client, and the profile has none");
      ClientCertificate wrong = new ClientCertificate.PemFiles(other, otherKey);
      assertThatThrownBy(
              () -> tables(server.config().withSecurity(trusting.withCertificate(wrong))))
          .isInstanceOf(ConnectionException.class);
    }
  }
}
