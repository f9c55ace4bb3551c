package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.net.audit.AuditTrail.Settings;
import io.tunnel.server.net.audit.AuditTrail.Written;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An answer that no frame holds refuses its request, and not the connection. */
final class LongAnswersTest {

  @TempDir private Path data;
  @TempDir private Path directory;
  private TestNode node;
  private Connection connection;
  private EmbeddedChannel nettyChannel;

  @BeforeEach
  void connect() throws IOException {
    node = new TestNode(directory);
    AuditTrail trail =
        new AuditTrail(
            new Settings(Written.REFUSED, 1 << 20, 1),
            data,
            Optional.empty(),
            new AuditTrail.Clock(() -> 0, () -> 0),
            Runnable::run);
    AuditLog audit = new AuditLog(trail, new Catalog(new MemoryCatalogStore()));
    connection =
        new Connection(
            node.requests(),
            new NetServer.Door(Gate.open(), Optional.empty(), audit),
            NetMeter.NONE,
            "server",
            NetServer.Budgets.of(NetLimits.DEFAULT, 10, Gate.open()));
    nettyChannel = new EmbeddedChannel(connection);
  }

  @AfterEach
  void close() throws IOException {
    nettyChannel.finishAndReleaseAll();
    node.close();
  }

  private static Frame request(Operation operation, int correlation) {
    return new Frame(
        operation, FrameKind.REQUEST, correlation, Json.encode(new TableName("orders")));
  }

  private List<Frame> sent() {
    return SentFrames.takenFrom(nettyChannel);
  }

  @Test
  void the_longest_that_a_frame_holds_is_sent_and_one_byte_more_is_refused_once() {
    connection.respond(request(Operation.PARTITION_MAP, 1), new byte[Frame.PAYLOAD_BYTES_MAX]);
    connection.respond(request(Operation.PARTITION_MAP, 2), new byte[Frame.PAYLOAD_BYTES_MAX + 1]);
    connection.respond(request(Operation.PARTITION_MAP, 3), new byte[3]);
    List<Frame> frames = sent();
    assertThat(frames)
        .extracting(Frame::correlationId, Frame::kind)
        .containsExactly(
            tuple(1, FrameKind.RESPONSE), tuple(2, FrameKind.ERROR), tuple(3, FrameKind.RESPONSE));
    assertThat(frames.get(0).payload()).hasSize(Frame.PAYLOAD_BYTES_MAX);
    ErrorPayload refusal = ErrorPayload.decode(frames.get(1).payload());
    assertThat(refusal.code()).isEqualTo(ErrorCode.LIMIT_REACHED);
    assertThat(refusal.message())
        .contains("the answer has 8388601 bytes, and 8388600 are sent at most", "ask for less");
    assertThat(nettyChannel.isOpen()).isTrue();
  }

  @Test
  void who_is_not_told_what_came_of_a_change_is_told_that_it_is_done() throws IOException {
    connection.respond(request(Operation.DROP_TABLE, 1), new byte[Frame.PAYLOAD_BYTES_MAX + 1]);
    assertThat(ErrorPayload.decode(sent().get(0).payload()).message())
        .endsWith("the request was carried out");
    assertThat(Files.readAllLines(data.resolve("audit.jsonl")))
        .singleElement()
        .asString()
        .contains("DROP_TABLE", "LIMIT_REACHED")
        .doesNotContain("\"ok\"");
  }
}
