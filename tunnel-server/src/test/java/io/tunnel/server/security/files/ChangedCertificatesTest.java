package io.tunnel.server.security.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.netty.pkitesting.X509Bundle;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.Logged;
import io.tunnel.server.net.access.TlsPeer.ClientCertificate;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.files.TestSecurity.Authority;
import io.tunnel.wire.AuthenticationProof;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificates that are replaced while a server serves with them. */
final class ChangedCertificatesTest {

  private static final Authority OURS = Authority.of("ours");
  private static final Authority NEXT = Authority.of("next");

  @TempDir private Path directory;
  private final AtomicLong nowMs = new AtomicLong(TestSecurity.ENDED.toEpochMilli());
  private final Logged logged = Logged.of(Tls.class);
  private Tls tls;
  private EchoServer server;

  @BeforeEach
  void serve() throws IOException {
    TestSecurity.write(directory, OURS);
    tls = new Tls(directory, nowMs::get);
    server = new EchoServer(tls);
  }

  @AfterEach
  void close() {
    server.close();
    logged.close();
  }

  private static Bytes binding(X509Bundle bundle) throws Exception {
    return AuthenticationProof.binding(bundle.getCertificate().getEncoded());
  }

  private Bytes served(Authority trusted) throws Exception {
    try (SSLSocket connection = server.connect(trusted.client())) {
      return server.peer(connection).binding();
    }
  }

  @Test
  void who_comes_later_gets_the_new_certificate_and_who_is_there_stays() throws Exception {
    try (SSLSocket early = server.connect(OURS.client())) {
      Bytes before = server.peer(early).binding();
      X509Bundle next = OURS.server();
      TestSecurity.writePem(directory, next);
      assertThat(served(OURS)).as("nobody has looked yet").isEqualTo(before);
      tls.look();
      assertThat(served(OURS)).isEqualTo(binding(next)).isNotEqualTo(before);
      assertThat(server.peer(early).binding()).isEqualTo(before);
    }
    assertThat(logged.at(Level.INFO))
        .singleElement()
        .asString()
        .contains(directory.toString(), "were read again", "2120-01-01");
    tls.look();
    assertThat(logged.at(Level.INFO)).as("nothing has changed").hasSize(1);
  }

  @Test
  void another_authority_lets_its_own_clients_in_and_the_former_ones_no_more() throws Exception {
    TestSecurity.write(directory, NEXT);
    tls.look();
    try (SSLSocket connection = server.connect(NEXT.clientWith(NEXT.client("CN=ann")))) {
      assertThat(server.peer(connection).certificate().map(ClientCertificate::subject))
          .contains(Principal.ofCertificate("CN=ann"));
    }
    assertThatThrownBy(
            () -> {
              try (SSLSocket connection = server.connect(NEXT.clientWith(OURS.client("CN=bob")))) {
                server.peer(connection);
              }
            })
        .isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "authority.crt, garbage",
    "server.crt, garbage",
    "server.key, garbage",
    "authority.crt,",
    "server.crt,",
    "server.key,",
    "server.p12, garbage"
  })
  void a_file_that_cannot_be_used_changes_nothing_and_is_said_once(String name, String content)
      throws Exception {
    Bytes before = served(OURS);
    if (content == null) {
      Files.delete(directory.resolve(name));
    } else {
      Files.writeString(directory.resolve(name), content);
    }
    tls.look();
    tls.look();
    assertThat(served(OURS)).isEqualTo(before);
    assertThat(logged.at(Level.ERROR))
        .singleElement()
        .asString()
        .contains(directory.toString(), "the server keeps its current certificates");
    X509Bundle next = OURS.server();
    TestSecurity.write(directory, OURS);
    TestSecurity.writePem(directory, next);
    Files.deleteIfExists(directory.resolve("server.p12"));
    tls.look();
    assertThat(served(OURS)).as("it is mended").isEqualTo(binding(next));
  }

  @Test
  void a_certificate_that_is_replaced_before_its_key_is_not_served_until_both_are_there()
      throws Exception {
    Bytes before = served(OURS);
    X509Bundle next = OURS.server();
    Files.writeString(directory.resolve("server.crt"), next.getCertificatePEM());
    tls.look();
    assertThat(served(OURS)).isEqualTo(before);
    assertThat(logged.at(Level.ERROR))
        .singleElement()
        .asString()
        .contains("server.crt", "server.key with the private key of server.crt");
    Files.writeString(directory.resolve("server.key"), next.getPrivateKeyPEM());
    tls.look();
    assertThat(served(OURS)).isEqualTo(binding(next));
  }

  @Test
  void a_certificate_that_ends_soon_or_has_ended_is_said_once_a_day() throws Exception {
    Duration day = Duration.ofDays(1);
    long endMs = tls.expiresMs();
    assertThat(logged.at(Level.WARN)).isEmpty();
    nowMs.set(endMs - day.toMillis() * 30);
    tls.look();
    assertThat(logged.at(Level.WARN)).as("30 days are enough").isEmpty();
    nowMs.incrementAndGet();
    tls.look();
    nowMs.addAndGet(day.toMillis() - 1);
    tls.look();
    assertThat(logged.at(Level.WARN))
        .singleElement()
        .asString()
        .contains(directory.toString(), "expires on 2120-01-01", "replace it");
    nowMs.incrementAndGet();
    tls.look();
    assertThat(logged.at(Level.WARN)).as("a day later").hasSize(2);
    logged.clear();
    nowMs.set(endMs + 1);
    tls.look();
    assertThat(logged.at(Level.WARN)).singleElement().asString().contains("has expired on");
    X509Bundle ended = OURS.issue("CN=server", TestSecurity.ENDED);
    TestSecurity.writePem(directory, ended);
    tls.look();
    assertThat(logged.at(Level.WARN)).as("said of each certificate").hasSize(2);
  }

  @Test
  void a_certificate_that_has_ended_is_served_with_a_warning() throws Exception {
    TestSecurity.writePem(directory, OURS.issue("CN=server", TestSecurity.ENDED));
    nowMs.set(TestSecurity.ENDED.toEpochMilli() + 1);
    assertThat(new Tls(directory, nowMs::get).expiresMs())
        .isEqualTo(TestSecurity.ENDED.toEpochMilli());
    assertThat(logged.at(Level.WARN)).singleElement().asString().contains("has expired on");
  }

  @Test
  void other_servers_are_shown_the_newest_certificate_too(@TempDir Path other) throws Exception {
    TestSecurity.write(other, OURS);
    TestSecurity.writePem(other, OURS.issue("CN=first", TestSecurity.END));
    Tls others = new Tls(other, nowMs::get);
    SocketFactory sockets = others.sockets();
    assertThat(shown(sockets)).isEqualTo("CN=first");
    TestSecurity.writePem(other, OURS.issue("CN=second", TestSecurity.END));
    others.look();
    assertThat(shown(sockets)).isEqualTo("CN=second");
  }

  private String shown(SocketFactory sockets) throws Exception {
    try (Socket connection = sockets.createSocket()) {
      InetSocketAddress address = server.address();
      connection.connect(address);
      return server.peer(connection).certificate().orElseThrow().subject().name();
    }
  }
}
