package io.tunnel.cli.security.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.tunnel.server.engine.WiringChance;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates that were made are taken by TLS, each for what it is and for nothing else. */
class HandshakeTest {

  private static final Duration DAY = Duration.ofDays(1);
  private static final int ROUNDS_MAX = 20;

  private final Instant now = Instant.now();
  private final CertificateAuthority authority = authority();
  private final Issued server = server(authority, now, "db1.example.org", "10.0.0.5", "::1");
  private final Issued client = authority.client("billing", now, DAY);

  private CertificateAuthority authority() {
    return CertificateAuthority.create(WiringChance::secret, now, DAY);
  }

  private static Issued server(CertificateAuthority by, Instant at, String... names) {
    List<HostName> hosts = Arrays.stream(names).map(HostName::of).toList();
    return by.server(hosts, at, DAY);
  }

  /** What each side learned of the other. */
  private record Sessions(SSLSession ofServer, SSLSession ofClient) {}

  private Sessions shakeHands(Issued serving, Issued asking, String host) throws Exception {
    X509Certificate trusted = authority.root().certificate();
    SslContext ofServer =
        SslContextBuilder.forServer(serving.key(), serving.certificate())
            .sslProvider(SslProvider.JDK)
            .trustManager(trusted)
            .clientAuth(ClientAuth.REQUIRE)
            .build();
    SslContext ofClient =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(trusted)
            .keyManager(asking.key(), asking.certificate())
            .endpointIdentificationAlgorithm("HTTPS")
            .build();
    EmbeddedChannel there = new EmbeddedChannel();
    EmbeddedChannel here = new EmbeddedChannel();
    SslHandler serverSide = ofServer.newHandler(there.alloc());
    SslHandler clientSide = ofClient.newHandler(here.alloc(), host, 7650);
    there.pipeline().addLast(serverSide);
    here.pipeline().addLast(clientSide);
    try {
      for (int round = 0; round < ROUNDS_MAX; round++) {
        pass(here, there);
        pass(there, here);
      }
      clientSide.handshakeFuture().sync();
      serverSide.handshakeFuture().sync();
      return new Sessions(clientSide.engine().getSession(), serverSide.engine().getSession());
    } finally {
      close(here);
      close(there);
    }
  }

  private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    for (Object bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      if (to.isOpen()) {
        to.pipeline().fireChannelRead(bytes);
        to.pipeline().fireChannelReadComplete();
      } else {
        ReferenceCountUtil.release(bytes);
      }
    }
    to.runPendingTasks();
  }

  private static void close(EmbeddedChannel channel) {
    try {
      channel.finishAndReleaseAll();
    } catch (Exception failedHandshake) {
      assertThat(failedHandshake).hasRootCauseInstanceOf(Exception.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"db1.example.org", "DB1.example.org", "10.0.0.5", "::1", "0:0:0:0:0:0:0:1"})
  void client_and_server_know_each_other(String host) throws Exception {
    Sessions sessions = shakeHands(server, client, host);
    assertThat(sessions.ofServer().getProtocol()).isEqualTo("TLSv1.3");
    assertThat(sessions.ofServer().getPeerPrincipal()).hasToString("CN=tunnel-server");
    assertThat(sessions.ofClient().getPeerPrincipal()).hasToString("CN=billing");
    assertThat(sessions.ofClient().getPeerCertificates()[0]).isEqualTo(client.certificate());
  }

  @Test
  void a_node_asks_another_with_its_servers_certificate() throws Exception {
    Sessions sessions = shakeHands(server, server, "10.0.0.5");
    assertThat(sessions.ofClient().getPeerPrincipal()).hasToString("CN=tunnel-server");
  }

  @ParameterizedTest
  @ValueSource(strings = {"db2.example.org", "10.0.0.6", "localhost", "x.db1.example.org"})
  void a_server_is_nobody_else(String host) {
    assertThatThrownBy(() -> shakeHands(server, client, host))
        .isInstanceOf(SSLException.class)
        .rootCause()
        .message()
        .containsAnyOf("No subject alternative", "No name matching");
  }

  @Test
  void a_client_can_be_no_server() {
    assertThatThrownBy(() -> shakeHands(client, client, "billing"))
        .isInstanceOf(SSLException.class)
        .rootCause()
        .hasMessageContaining("TLS server authentication");
  }

  @Test
  void what_another_authority_has_made_is_trusted_by_neither() {
    CertificateAuthority other = authority();
    assertThatThrownBy(() -> shakeHands(server(other, now, "h"), client, "h"))
        .isInstanceOf(SSLException.class);
    Issued stranger = other.client("billing", now, DAY);
    assertThatThrownBy(() -> shakeHands(server, stranger, "10.0.0.5"))
        .isInstanceOf(SSLException.class);
  }

  @Test
  void what_has_ended_is_trusted_no_more_and_clocks_may_differ() throws Exception {
    Issued old = server(authority, now.minus(DAY).minusSeconds(1), "h");
    assertThatThrownBy(() -> shakeHands(old, client, "h")).isInstanceOf(SSLException.class);
    Issued early = server(authority, now.plusSeconds(1_800), "h");
    assertThat(shakeHands(early, client, "h").ofServer().isValid()).isTrue();
  }

  @Test
  void a_certificate_cannot_make_others() throws Exception {
    assertThat(authority.root().certificate().getBasicConstraints()).isZero();
    for (Issued issued : List.of(server, client)) {
      assertThat(issued.certificate().getBasicConstraints()).isEqualTo(-1);
      assertThat(issued.certificate().getPublicKey().getAlgorithm()).isEqualTo("EC");
      issued.certificate().verify(authority.root().certificate().getPublicKey());
    }
    assertThat(server.certificate().getSerialNumber())
        .isNotEqualTo(client.certificate().getSerialNumber());
    assertThat(authority().root().certificate().getSubjectX500Principal())
        .isNotEqualTo(authority.root().certificate().getSubjectX500Principal());
  }

  @Test
  void what_is_written_is_read_again() throws Exception {
    assertThat(Issued.of(server.certificatePem(), server.keyPem())).isEqualTo(server);
    assertThat(server).hasToString("Issued[CN=tunnel-server]");
    CertificateAuthority read = CertificateAuthority.of(authority.root(), WiringChance::secret);
    Issued later = server(read, now, "10.0.0.5");
    assertThat(shakeHands(later, client, "10.0.0.5").ofServer().isValid()).isTrue();
  }
}
