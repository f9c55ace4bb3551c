package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.programs.torture.hostile.Named;
import io.tunnel.programs.torture.hostile.Payloads;
import io.tunnel.programs.torture.hostile.RawConnection;
import io.tunnel.programs.torture.hostile.Scene;
import io.tunnel.programs.torture.hostile.Target;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A consumer whose right is withdrawn, and who keeps its grant: connections and grants. */
@Tag("proof-hostile")
class WithdrawnConsumerTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private final ServerProcess server = STAGE.closedServer();
  private final Target target = new Target(server.port(), OptionalInt.of(server.httpPort()), true);
  private final Scene scene = Scene.make(target, server.client(), "_1");

  private RawConnection connect() throws IOException {
    return RawConnection.of(target, scene.owner());
  }

  /** What the session is assigned, which lives as long as its connection. */
  private Assignment assigned(RawConnection session) throws IOException {
    byte[] open = Payloads.of(Operation.OPEN_SESSION, scene.victim()).orElseThrow();
    byte[] unused = session.request(Operation.OPEN_SESSION, open);
    return Json.decode(session.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
  }

  private byte[] attaching(Assignment assignment) {
    return Json.encode(
        new Attach(
            scene.victim().tunnelId(),
            assignment.channelId(),
            assignment.partition(),
            assignment.type(),
            assignment.epoch(),
            0,
            Bytes.EMPTY,
            Optional.empty(),
            Optional.empty(),
            assignment.grant()));
  }

  /** The right to consume; all others on the table and the tunnel stay. */
  private void withdraw() {
    Named victim = scene.victim();
    try (SecurityClient security = new SecurityClient(server.client())) {
      security.withdraw(
          Permission.allow(
              victim.principal(), List.of("consume"), "tunnel:" + victim.table() + "/*"));
    }
  }

  private static ErrorCode end(RawConnection connection) throws IOException {
    Frame last = connection.receive().orElseThrow();
    assertThat(last.kind()).isEqualTo(FrameKind.ERROR);
    assertThat(connection.receive()).isEmpty();
    return ErrorPayload.decode(last.payload()).code();
  }

  @Test
  void is_delivered_nothing_more_on_any_connection_and_its_grant_serves_no_more()
      throws IOException {
    try (RawConnection session = connect();
        RawConnection delivery = connect();
        RawConnection later = connect()) {
      byte[] attach = attaching(assigned(session));
      byte[] unused = delivery.request(Operation.ATTACH, attach);
      withdraw();
      assertThat(end(session)).isEqualTo(ErrorCode.NOT_PERMITTED);
      assertThat(end(delivery)).isEqualTo(ErrorCode.NOT_PERMITTED);
      assertThat(later.refused(Operation.ATTACH, attach).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    }
  }
}
