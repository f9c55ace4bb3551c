package io.tunnel.programs.torture.hostile;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.SessionControl;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What counts as a session that an intruder has ended. */
class SessionAttacksTest {

  private LocalServer server;
  private RawConnection owner;
  private RawConnection intruder;
  private String tunnelId;

  @BeforeEach
  void a_tunnel_of_an_open_server() throws IOException {
    server = new LocalServer();
    server.create("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
    int port = Integer.parseInt(server.endpoint().substring(server.endpoint().indexOf(':') + 1));
    Target target = new Target(port, OptionalInt.empty(), false);
    owner = RawConnection.greeted(target);
    intruder = RawConnection.greeted(target);
    tunnelId =
        owner
            .request(
                Operation.CREATE_TUNNEL,
                new Control.CreateTunnel(
                    "orders", "audit", TunnelType.Stream, StreamStart.EARLIEST),
                Control.TunnelInfo.class)
            .tunnelId();
  }

  @AfterEach
  void close() throws IOException {
    owner.close();
    intruder.close();
    server.close();
  }

  private Named session(long leaseMs) throws IOException {
    SessionControl.SessionOpened opened =
        owner.request(
            Operation.OPEN_SESSION,
            new SessionControl.OpenSession(tunnelId, "owner", leaseMs, 0),
            SessionControl.SessionOpened.class);
    Named absent = Named.absent();
    return new Named(
        "orders",
        "audit",
        absent.tableId(),
        absent.partition(),
        tunnelId,
        opened.sessionId(),
        absent.handle(),
        absent.epoch(),
        absent.keyId(),
        absent.tokenId(),
        absent.principal());
  }

  @Test
  void a_session_that_goes_on_is_undisturbed() throws IOException {
    Named session = session(30_000);

    assertThatCode(() -> SessionAttacks.requireUndisturbed(owner, session))
        .doesNotThrowAnyException();
  }

  @Test
  void a_lease_that_runs_out_on_a_slow_machine_is_no_hole() throws IOException {
    Named session = session(1_000);
    // The end of the lease: the next push behind the channel.
    var unused = owner.awaitPush(Operation.ASSIGN);
    owner.pushed().add(owner.awaitPush(Operation.SESSION_END));

    assertThatThrownBy(() -> SessionAttacks.requireUndisturbed(owner, session))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too slow");
  }

  @Test
  void a_session_that_somebody_else_ends_is_a_hole() throws IOException {
    Named session = session(30_000);
    var unused =
        intruder.request(
            Operation.END_SESSION, Payloads.of(Operation.END_SESSION, session).orElseThrow());

    assertThatThrownBy(() -> SessionAttacks.requireUndisturbed(owner, session))
        .isInstanceOf(HoleException.class)
        .hasMessageContaining("an operator ended it");
  }
}
