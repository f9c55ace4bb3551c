package io.tunnel.server.security.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.X509Bundle;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.TlsPeer;
import io.tunnel.server.net.access.TlsPeer.ClientCertificate;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.files.TestSecurity.Authority;
import io.tunnel.wire.AuthenticationProof;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real handshakes with what a security directory holds. */
final class TlsTest {

  private static final Authority OURS = Authority.of("ours");
  private static final Authority THEIRS = Authority.of("theirs");

  @TempDir private Path directory;
  private EchoServer server;

  @BeforeEach
  void serve() throws IOException {
    TestSecurity.write(directory, OURS);
    server = new EchoServer(new Tls(directory, TestSecurity.ENDED::toEpochMilli));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static Bytes binding(SSLSocket connection) throws Exception {
    return AuthenticationProof.binding(
        connection.getSession().getPeerCertificates()[0].getEncoded());
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void two_versions_are_spoken_and_both_sides_know_the_servers_certificate(String protocol)
      throws Exception {
    try (SSLSocket connection = server.connect(OURS.client(), protocol)) {
      TlsPeer peer = server.peer(connection);
      assertThat(connection.getSession().getProtocol()).isEqualTo(protocol);
      assertThat(peer.binding()).isEqualTo(binding(connection));
      assertThat(peer.certificate()).isEmpty();
    }
  }

  /**
   * Clients of the JDK refuse the older version by themselves, so the test sends the bytes of a
   * client that does not.
   */
  @Test
  void an_older_version_is_refused_with_the_alert_for_that() throws Exception {
    String hello11 =
        "1603010035010000310302"
            + "00".repeat(32)
            + "00" // no session
            + "0008c013c014002f0035" // suites that TLS 1.1 has
            + "0100" // no compression
            + "0000"; // no extensions
    assertThat(HexFormat.of().parseHex(hello11)).hasSize(0x35 + 5);
    try (Socket raw = server.plain()) {
      raw.getOutputStream().write(HexFormat.of().parseHex(hello11));
      byte[] answer = raw.getInputStream().readAllBytes();
      assertThat(answer[0]).as("an alert").isEqualTo((byte) 0x15);
      assertThat(answer[answer.length - 2]).as("that is fatal").isEqualTo((byte) 2);
      assertThat(answer[answer.length - 1]).as("protocol_version").isEqualTo((byte) 70);
    }
    requireQuiet(server.failure());
  }

  /** What a connection logs as broken, and not as its own failure. */
  private static void requireQuiet(Throwable failure) {
    assertThat(failure.getCause()).isInstanceOf(SSLException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void a_certificate_of_the_authority_says_who_a_client_is(String protocol) throws Exception {
    SSLContext bob = OURS.clientWith(OURS.client("CN=bob, OU=Fleet, O=Example"));
    try (SSLSocket connection = server.connect(bob, protocol)) {
      assertThat(server.peer(connection).certificate().map(ClientCertificate::subject))
          .contains(Principal.ofCertificate("CN=bob,OU=Fleet,O=Example"));
    }
  }

  static Stream<X509Bundle> strangers() {
    return Stream.of(
        THEIRS.client("CN=bob"),
        OURS.issue("CN=bob", TestSecurity.ENDED),
        Authority.of("bob").root());
  }

  @ParameterizedTest
  @MethodSource("strangers")
  void a_certificate_that_is_not_the_authoritys_or_has_ended_lets_nobody_in(X509Bundle stranger)
      throws Exception {
    for (String protocol : List.of("TLSv1.3", "TLSv1.2")) {
      assertThatThrownBy(
              () -> {
                try (SSLSocket connection = server.connect(OURS.clientWith(stranger), protocol)) {
                  server.peer(connection);
                }
              })
          .isInstanceOf(IOException.class);
      requireQuiet(server.failure());
    }
  }

  @Test
  void a_subject_that_rights_cannot_be_given_to_is_nobodys() throws Exception {
    String subject = "CN=bob,OU=" + "x".repeat(250);
    try (SSLSocket connection = server.connect(OURS.clientWith(OURS.client(subject)))) {
      TlsPeer peer = server.peer(connection);
      assertThat(peer.certificate()).isEmpty();
      assertThat(peer.binding()).isEqualTo(binding(connection));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void a_session_that_is_taken_up_again_is_of_the_same_client_and_server(String protocol)
      throws Exception {
    SSLContext bob = OURS.clientWith(OURS.client("CN=bob"));
    Optional<Long> firstBegan = Optional.empty();
    for (int i = 0; i < 3; i++) {
      try (SSLSocket connection = server.connect(bob, protocol)) {
        TlsPeer peer = server.peer(connection);
        assertThat(peer.certificate())
            .contains(
                new ClientCertificate(
                    Principal.ofCertificate("CN=bob"), TestSecurity.END.toEpochMilli()));
        assertThat(peer.binding()).isEqualTo(binding(connection));
        long began = connection.getSession().getCreationTime();
        assertThat(firstBegan.orElse(began)).as("the first session").isEqualTo(began);
        firstBegan = Optional.of(began);
      }
    }
  }

  @Test
  void a_client_that_asks_for_another_handshake_is_gone() throws Exception {
    try (SSLSocket connection = server.connect(OURS.client(), "TLSv1.2")) {
      var unused = server.peer(connection);
      connection.getSession().invalidate();
      connection.startHandshake();
      assertThatThrownBy(() -> server.peer(connection)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void who_does_not_trust_the_authority_does_not_stay_and_is_no_failure_of_ours() {
    assertThatThrownBy(() -> server.connect(THEIRS.client())).isInstanceOf(SSLException.class);
    assertThatThrownBy(() -> server.connect(THEIRS.client(), "TLSv1.2"))
        .isInstanceOf(SSLException.class);
    assertThat(server.failures()).allSatisfy(TlsTest::requireQuiet);
  }

  @Test
  void who_begins_without_tls_is_told_so_and_nothing_of_it_is_taken() throws Exception {
    try (Socket connection = server.plain()) {
      connection.getOutputStream().write(new byte[100]);
      assertThat(connection.getInputStream().readAllBytes()).isEqualTo(new byte[] {'n', 'o'});
    }
    assertThat(server.failures()).isEmpty();
  }

  @Test
  void a_certificate_in_pkcs12_serves_as_well_and_wins() throws Exception {
    X509Bundle other = OURS.server();
    TestSecurity.writePkcs12(directory, other);
    Tls tls = new Tls(directory, TestSecurity.ENDED::toEpochMilli);
    assertThat(tls.expiresMs()).isEqualTo(TestSecurity.END.toEpochMilli());
    try (EchoServer pkcs12 = new EchoServer(tls);
        SSLSocket connection = pkcs12.connect(OURS.client())) {
      assertThat(pkcs12.peer(connection).binding())
          .isEqualTo(AuthenticationProof.binding(other.getCertificate().getEncoded()));
    }
  }
}
