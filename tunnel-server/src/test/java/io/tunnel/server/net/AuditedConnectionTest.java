package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.net.audit.AuditTrail.Written;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each thing that befalls a connection has its line in the audit log, and nothing has two; {@link
 * RunningRightsTest} has the ends of rights.
 */
final class AuditedConnectionTest {

  @TempDir private Path directory;
  private Optional<GatedConnection> client = Optional.empty();

  @AfterEach
  void close() throws IOException {
    if (client.isPresent()) {
      client.get().close();
    }
  }

  private GatedConnection connect(Written written) throws IOException {
    client = Optional.of(new GatedConnection(directory, written));
    return client.get();
  }

  private void requireLine(String operation, String outcome) throws IOException {
    assertThat(client.orElseThrow().audited())
        .singleElement()
        .asString()
        .contains("\"operation\":\"" + operation + "\"")
        .endsWith("\"outcome\":\"" + outcome + "\"}");
  }

  @Test
  void a_login_is_written() throws IOException {
    GatedConnection bob = connect(Written.CHANGES);
    assertThat(bob.authenticate(bob.key.secret()))
        .extracting(Frame::kind)
        .containsExactly(FrameKind.RESPONSE);
    requireLine("CONNECT", "ok");
    assertThat(bob.audited().get(0)).contains("\"principal\":\"bob\"");
  }

  @Test
  void a_login_with_a_wrong_secret_is_written() throws IOException {
    GatedConnection stranger = connect(Written.REFUSED);
    assertThat(stranger.authenticate("guess"))
        .extracting(Frame::kind)
        .containsExactly(FrameKind.ERROR);
    requireLine("CONNECT", "NOT_AUTHENTICATED");
    assertThat(stranger.audited().get(0)).doesNotContain("principal");
  }

  @Test
  void a_request_before_the_login_is_written() throws IOException {
    GatedConnection stranger = connect(Written.REFUSED);
    stranger.send(0, Operation.HELLO, Hello.request(Protocol.SPOKEN, "client").encode());
    stranger.send(1, Operation.LIST_TABLES, new byte[0]);
    requireLine("CONNECT", "NOT_AUTHENTICATED");
  }

  @Test
  void a_client_that_greets_and_never_logs_in_is_written_and_one_that_is_silent_is_not()
      throws IOException {
    GatedConnection silent = connect(Written.REFUSED);
    silent.pass(60);
    silent.pass(60);
    assertThat(silent.isActive()).isFalse();
    assertThat(silent.audited()).isEmpty();
    silent.close();
    GatedConnection stranger = connect(Written.REFUSED);
    stranger.send(0, Operation.HELLO, Hello.request(Protocol.SPOKEN, "client").encode());
    stranger.pass(60);
    stranger.pass(60);
    assertThat(stranger.isActive()).isFalse();
    requireLine("CONNECT", "NOT_AUTHENTICATED");
  }

  @Test
  void a_request_that_is_done_is_written_and_so_is_one_that_is_refused() throws Exception {
    GatedConnection bob = connect(Written.ALL);
    assertThat(bob.authenticate(bob.key.secret())).hasSize(1);
    bob.security.allow("bob", "table:mine", "read");
    Frame done = bob.ask(Operation.PARTITION_MAP, Json.encode(new TableName("mine")));
    assertThat(done.kind()).isEqualTo(FrameKind.RESPONSE);
    Frame refused = bob.ask(Operation.DROP_TABLE, Json.encode(new TableName("mine")));
    assertThat(refused.kind()).isEqualTo(FrameKind.ERROR);
    assertThat(bob.audited()).hasSize(3);
    assertThat(bob.audited().get(1))
        .contains(
            "\"principal\":\"bob\"",
            "\"operation\":\"PARTITION_MAP\",\"resource\":\"table:mine\",\"outcome\":\"ok\"}");
    assertThat(bob.audited().get(2))
        .contains(
            "\"principal\":\"bob\"",
            "\"operation\":\"DROP_TABLE\",\"resource\":\"table:mine\","
                + "\"outcome\":\"NOT_PERMITTED\"}");
    assertThat(bob.administered()).isEmpty();
  }
}
