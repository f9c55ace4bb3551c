package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each list of names has those that the client may see, and no other. */
final class VisibleNamesTest {

  @TempDir private Path directory;
  private GatedConnection bob;

  @BeforeEach
  void open() throws IOException {
    bob = GatedConnection.ofBob(directory);
    bob.node.leadTheirs();
  }

  @AfterEach
  void close() throws IOException {
    bob.close();
  }

  private TunnelInfo tunnel(String table, String name) throws IOException {
    try (RawClient operator = bob.node.client()) {
      return operator.granted(
          Operation.CREATE_TUNNEL,
          new CreateTunnel(table, name, TunnelType.Stream, StreamStart.LATEST),
          TunnelInfo.class);
    }
  }

  private String asked(Operation operation, byte[] payload) throws Exception {
    Frame answer = bob.ask(operation, payload);
    String text = new String(answer.payload(), StandardCharsets.UTF_8);
    assertThat(answer.kind()).as(text).isEqualTo(FrameKind.RESPONSE);
    return text;
  }

  private ErrorCode refused(Operation operation, byte[] payload) throws Exception {
    Frame answer = bob.ask(operation, payload);
    assertThat(answer.kind()).isEqualTo(FrameKind.ERROR);
    return ErrorPayload.decode(answer.payload()).code();
  }

  @Test
  void tables_are_listed_that_the_client_may_see() throws Exception {
    assertThat(asked(Operation.LIST_TABLES, new byte[0])).isEqualTo("{\"tables\":[]}");
    bob.security.allow("bob", "table:mine", "write");
    assertThat(asked(Operation.LIST_TABLES, new byte[0])).isEqualTo("{\"tables\":[\"mine\"]}");
    bob.security.allow("bob", "table:theirs", "read");
    assertThat(asked(Operation.LIST_TABLES, new byte[0])).contains("mine", "theirs");
    bob.security.withdraw("bob", "table:mine", "write");
    assertThat(asked(Operation.LIST_TABLES, new byte[0])).isEqualTo("{\"tables\":[\"theirs\"]}");
  }

  @Test
  void tunnels_are_listed_that_the_client_may_see_of_one_table_and_of_all() throws Exception {
    TunnelInfo shown = tunnel("mine", "shown");
    tunnel("mine", "hidden");
    tunnel("theirs", "theirs-hidden");
    byte[] all = new byte[0];
    byte[] ofMine = Json.encode(new TableName("mine"));
    byte[] ofTheirs = Json.encode(new TableName("theirs"));
    ErrorCode ofNone = refused(Operation.LIST_TUNNELS, Json.encode(new TableName("none")));
    assertThat(asked(Operation.LIST_TUNNELS, all)).isEqualTo("{\"tunnels\":[]}");
    assertThat(refused(Operation.LIST_TUNNELS, ofMine)).isEqualTo(ofNone);
    bob.security.allow("bob", "tunnel:mine/shown", "consume");
    for (byte[] question : new byte[][] {all, ofMine}) {
      assertThat(asked(Operation.LIST_TUNNELS, question))
          .contains("\"shown\"", shown.tunnelId())
          .doesNotContain("hidden");
    }
    assertThat(refused(Operation.LIST_TUNNELS, ofTheirs)).isEqualTo(ofNone);
    bob.security.allow("bob", "tunnel:theirs/theirs-hidden", "operate");
    assertThat(asked(Operation.LIST_TUNNELS, all))
        .contains("\"shown\"", "theirs-hidden")
        .doesNotContain("\"hidden\"");
  }

  @Test
  void a_tunnel_that_the_client_may_not_see_has_no_id_for_the_client() throws Exception {
    TunnelInfo hidden = tunnel("mine", "hidden");
    byte[] open = Json.encode(new OpenSession(hidden.tunnelId(), "tag", 3_600_000, 0));
    byte[] made = Json.encode(new OpenSession("no-such-id", "tag", 3_600_000, 0));
    assertThat(refused(Operation.OPEN_SESSION, made)).isEqualTo(ErrorCode.TUNNEL_NOT_FOUND);
    assertThat(refused(Operation.OPEN_SESSION, open)).isEqualTo(ErrorCode.TUNNEL_NOT_FOUND);
    bob.security.allow("bob", "tunnel:mine/hidden", "operate");
    assertThat(refused(Operation.OPEN_SESSION, open)).isEqualTo(ErrorCode.NOT_PERMITTED);
    bob.security.allow("bob", "tunnel:mine/hidden", "consume");
    assertThat(asked(Operation.OPEN_SESSION, open)).contains("\"sessionId\"");
  }
}
