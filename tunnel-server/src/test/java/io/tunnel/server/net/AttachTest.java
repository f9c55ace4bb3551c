package io.tunnel.server.net;

import static io.tunnel.server.net.AttachFixture.LIFE_MS;
import static io.tunnel.server.net.AttachFixture.attach;
import static io.tunnel.server.net.AttachFixture.credit;
import static io.tunnel.server.net.AttachFixture.delivered;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.Renewal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Channels that are delivered where their partitions are led, over real connections. */
final class AttachTest {

  @TempDir private Path directory;
  private AttachFixture at;

  @BeforeEach
  void open() throws IOException {
    at = new AttachFixture(directory);
  }

  @AfterEach
  void close() throws IOException {
    at.close();
  }

  @Test
  void a_channel_is_delivered_from_where_its_worker_is() throws IOException {
    at.write("a", "b", "c");
    int handle = attach(at.worker, at.stream(5, 1, Optional.empty()));
    credit(at.worker, handle, 5);
    Delivery first = delivered(at.worker);
    assertThat(first)
        .extracting(Delivery::handle, Delivery::epoch, Delivery::firstPosition)
        .containsExactly(handle, 5L, 2L);
    Attach ending = at.stream(5, 1, Optional.of(4L));
    at.worker.push(Operation.RENEW, new Renewal(handle, 5, ending.grant()).encode());
    at.write("d");
    assertThat(delivered(at.worker).firstPosition()).isEqualTo(4);
    assertThat(ChannelEnd.decode(at.worker.pushed(Operation.END_OF_CHANNEL).payload()))
        .isEqualTo(new ChannelEnd(handle, 5, 4));
    at.worker.granted(Operation.DETACH, new ChannelRef(handle, 5).encode());
    at.worker.granted(Operation.DETACH, new ChannelRef(handle, 5).encode());
    assertThat(at.node.attachments.count()).isZero();
  }

  @Test
  void an_end_that_is_known_is_told_without_credit_to_who_has_everything() throws IOException {
    at.write("a");
    int handle = attach(at.worker, at.stream(5, 1, Optional.of(1L)));
    assertThat(ChannelEnd.decode(at.worker.pushed(Operation.END_OF_CHANNEL).payload()))
        .isEqualTo(new ChannelEnd(handle, 5, 1));
  }

  @Test
  void nothing_is_delivered_that_was_committed_at_the_tunnels_end_or_later() throws IOException {
    at.write("a");
    Attach request =
        at.granted(
            at.stream(5, 0, Optional.empty()),
            new Terms("n", 0, Optional.empty(), Optional.of(1L), at.untilMs(), LIFE_MS));
    int handle = attach(at.worker, request);
    credit(at.worker, handle, 5);
    Attach ending = at.stream(5, 0, Optional.of(0L));
    at.worker.push(Operation.RENEW, new Renewal(handle, 5, ending.grant()).encode());
    assertThat(ChannelEnd.decode(at.worker.pushed(Operation.END_OF_CHANNEL).payload()))
        .isEqualTo(new ChannelEnd(handle, 5, 0));
  }

  @Test
  void who_loses_a_partition_says_who_leads_it_now() throws IOException {
    at.write("a");
    int handle = attach(at.worker, at.stream(5, 0, Optional.empty()));
    at.node.lose(at.here);
    Frame told = at.worker.pushed(Operation.DELIVER);
    assertThat(told.correlationId()).isEqualTo(handle);
    ErrorPayload reason = RawClient.error(told);
    assertThat(reason.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(reason.leader()).contains(TestNode.THERE);
    assertThat(at.node.attachments.count()).isZero();
    ErrorPayload refusal = at.worker.refused(Operation.ATTACH, at.stream(6, 0, Optional.empty()));
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusal.leader()).contains(TestNode.THERE);
    at.node.lead(at.here);
    assertThat(attach(at.worker, at.stream(4, 0, Optional.empty())))
        .as("epochs of a former time are forgotten")
        .isGreaterThan(handle);
  }

  @Test
  void a_connection_attaches_to_so_many_channels_and_no_more() throws IOException {
    for (int i = 0; i < Attachments.OF_CONNECTION_MAX; i++) {
      at.worker.send(Operation.ATTACH, Json.encode(of("c" + i)));
    }
    assertThat(at.worker.refused(Operation.ATTACH, of("one too many")).code())
        .isEqualTo(ErrorCode.BUSY);
    assertThat(at.node.attachments.count()).isEqualTo(Attachments.OF_CONNECTION_MAX);
    at.worker.granted(Operation.DETACH, new ChannelRef(3, 5).encode());
    attach(at.worker, of("in its place"));
  }

  @Test
  void the_id_of_a_channel_is_that_of_its_tunnel_which_is_short() throws IOException {
    String longest = "t".repeat(64);
    attach(at.worker, of(longest));
    requireInvalid(of(longest + "t"), "64 characters");
    attach(at.worker, of("t"));
    for (String channelId : List.of("", "t", at.here + "_u", at.here + "_t_base", "9_t")) {
      Attach wrong =
          new Attach(
              "t",
              channelId,
              at.here,
              ChannelType.Stream,
              5,
              0,
              Bytes.EMPTY,
              Optional.empty(),
              Optional.empty(),
              Bytes.EMPTY);
      requireInvalid(wrong, at.here + "_t");
    }
    assertThat(at.node.attachments.count()).isEqualTo(2);
  }

  private void requireInvalid(Attach request, String message) throws IOException {
    ErrorPayload refusal = at.worker.refused(Operation.ATTACH, request);
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(refusal.message()).contains(message);
  }

  private Attach of(String tunnelId) {
    Attach request = at.ungranted(tunnelId, ChannelType.Stream, 5, 0, Bytes.EMPTY);
    return at.granted(request, Optional.empty());
  }
}
