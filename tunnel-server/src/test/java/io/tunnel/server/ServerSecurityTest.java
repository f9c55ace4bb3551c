package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelPipeline;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.config.ServerConfig.SecurityConfig;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.metrics.HttpServer.Visitors;
import io.tunnel.server.metrics.HttpServer.Visitors.Visit;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.server.security.files.TestSecurity.Authority;
import io.tunnel.server.security.files.Tls;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who is shown figures at the HTTP port, and what a server says of its certificate. */
final class ServerSecurityTest {

  private static final String BOB = "CN=bob";
  private static final Authority OURS = Authority.of("ours");

  /** When a visitor's token and certificate end. */
  private static final long END_MS = TestSecurity.END.toEpochMilli();

  /** How a visitor says who it is. */
  private enum Way {
    TOKEN,
    CERTIFICATE
  }

  /** A visitor as the server sees it. */
  private record Visitor(EmbeddedChannel server, Optional<String> bearer) {
    ChannelPipeline connection() {
      return server.pipeline();
    }
  }

  @TempDir private Path directory;
  private TestGate at;
  private Tls tls;
  private Visitors visitors;
  private final EmbeddedChannel[] channels = new EmbeddedChannel[2];

  @BeforeEach
  void open() throws IOException {
    at = new TestGate();
    TestSecurity.write(security(), OURS);
    tls = new Tls(security(), at.epochMs::get);
    AuditTrail trail =
        new AuditTrail(
            AuditTrail.Settings.DEFAULT,
            directory.resolve("audit"),
            Optional.empty(),
            new AuditTrail.Clock(at.nanos::get, at.epochMs::get),
            Runnable::run);
    NetServer.Door door =
        new NetServer.Door(at.gate, Optional.of(tls), new AuditLog(trail, at.catalog));
    visitors = ServerSecurity.httpDoor(door).visitors();
  }

  @AfterEach
  void close() {
    for (EmbeddedChannel channel : channels) {
      if (channel != null) {
        channel.finishAndReleaseAll();
      }
    }
  }

  private Path security() {
    return directory.resolve("security");
  }

  /** The server's end of a connection after its handshake. */
  private EmbeddedChannel connected(SSLContext client) {
    SSLEngine engine = client.createSSLEngine("localhost", 1);
    engine.setUseClientMode(true);
    EmbeddedChannel server =
        new EmbeddedChannel(
            tls.handler(
                () -> {
                  throw new AssertionError("a client without TLS");
                }));
    EmbeddedChannel visitor = new EmbeddedChannel(new SslHandler(engine));
    channels[0] = server;
    channels[1] = visitor;
    boolean isMoving = true;
    while (isMoving) {
      boolean isAsked = pass(visitor, server);
      isMoving = pass(server, visitor) || isAsked;
    }
    assertThat(server.pipeline().get(SslHandler.class).handshakeFuture().isSuccess()).isTrue();
    return server;
  }

  private static boolean pass(EmbeddedChannel from, EmbeddedChannel to) {
    boolean isMoving = false;
    for (Object bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      to.writeInbound(bytes);
      isMoving = true;
    }
    return isMoving;
  }

  private TokenSecret token() throws IOException {
    return (TokenSecret)
        at.administration.createToken(
            Json.encode(new CreateToken(BOB, Optional.of(END_MS))), at.caller("admin"));
  }

  private Visitor bob(Way way) throws IOException {
    return switch (way) {
      case TOKEN -> new Visitor(connected(OURS.client()), Optional.of(token().token()));
      case CERTIFICATE ->
          new Visitor(connected(OURS.clientWith(OURS.client(BOB))), Optional.empty());
    };
  }

  private Visit visit(Visitor visitor) {
    return visitors.visit(visitor.connection(), visitor.bearer());
  }

  private List<String> refusals(Visitor visitor) throws IOException {
    visitors.refused(visitor.connection(), visitor.bearer());
    return Files.readAllLines(directory.resolve("audit").resolve("audit.jsonl"));
  }

  @ParameterizedTest
  @EnumSource
  void figures_are_for_who_may_read_the_cluster_until_token_or_certificate_end(Way way)
      throws IOException {
    Visitor bob = bob(way);
    assertThat(visit(bob)).isEqualTo(Visit.NOT_PERMITTED);
    at.allow(BOB, "cluster", "read");
    assertThat(visit(bob)).isEqualTo(Visit.WELCOME);
    at.epochMs.set(END_MS - 1);
    assertThat(visit(bob)).isEqualTo(Visit.WELCOME);
    at.epochMs.set(END_MS);
    assertThat(visit(bob)).isEqualTo(Visit.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource
  void nobody_is_known_while_rights_are_too_old_to_decide_by(Way way) throws IOException {
    Visitor bob = bob(way);
    at.allow(BOB, "cluster", "read");
    at.doubt = Optional.of(new RefusedException(ErrorCode.BUSY, "the catalog is old"));
    assertThat(visit(bob)).isEqualTo(Visit.UNKNOWN);
    at.doubt = Optional.empty();
    assertThat(visit(bob)).isEqualTo(Visit.WELCOME);
  }

  @Test
  void a_token_that_was_revoked_or_never_made_is_unknown() throws IOException {
    EmbeddedChannel connection = connected(OURS.client());
    at.allow(BOB, "cluster", "read");
    TokenSecret token = token();
    Visitor bob = new Visitor(connection, Optional.of(token.token()));
    assertThat(visit(bob)).isEqualTo(Visit.WELCOME);
    Control unused =
        at.administration.revokeToken(
            Json.encode(new SecurityId(token.info().id())), at.caller("admin"));
    assertThat(visit(bob)).isEqualTo(Visit.UNKNOWN);
    assertThat(visit(new Visitor(connection, Optional.of("guess")))).isEqualTo(Visit.UNKNOWN);
    assertThat(visit(new Visitor(connection, Optional.empty()))).isEqualTo(Visit.UNKNOWN);
  }

  @ParameterizedTest
  @EnumSource
  void a_refused_visit_is_audited_with_the_principal_while_it_is_known(Way way) throws IOException {
    Visitor bob = bob(way);
    assertThat(refusals(bob))
        .singleElement()
        .asString()
        .contains("\"principal\":\"CN=bob\"", "\"operation\":\"HTTP\"")
        .endsWith("\"outcome\":\"NOT_PERMITTED\"}");
    at.epochMs.set(END_MS);
    assertThat(refusals(bob).get(1))
        .doesNotContain("principal")
        .contains("\"operation\":\"HTTP\"")
        .endsWith("\"outcome\":\"NOT_AUTHENTICATED\"}");
  }

  @Test
  void the_rest_of_the_certificate_s_life_is_told_in_seconds() throws IOException {
    ServerSecurity closed =
        new ServerSecurity(new SecurityConfig(security().toString()), directory, Optional.empty());
    SystemClock clock = new SystemClock();
    double earliest = TestSecurity.END.getEpochSecond() - clock.epochMicros() / 1e6;
    double left = closed.certificateLeftSeconds();
    double latest = TestSecurity.END.getEpochSecond() - clock.epochMicros() / 1e6;
    // A clock in milliseconds is up to one behind the microseconds.
    assertThat(left).isBetween(latest - 0.001, earliest + 0.001);
    ServerSecurity open = new ServerSecurity(SecurityConfig.NONE, directory, Optional.empty());
    assertThat(open.certificateLeftSeconds()).isNaN();
  }
}
