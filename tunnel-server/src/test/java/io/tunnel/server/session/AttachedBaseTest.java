package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.IOException;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Base channels that other nodes deliver. */
final class AttachedBaseTest extends AttachedSessionsFixture {

  @Test
  void the_key_of_a_base_channels_checkpoint_is_the_workers_to_say_and_is_stored() {
    TunnelInfo tunnel = base();
    session(tunnel);
    Assignment held = held(low);
    assertThat(held.type()).isEqualTo(ChannelType.BaseData);
    assertThat(code(checkpoint(held, 2, Bytes.EMPTY))).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(code(checkpoint(held, 2, Bytes.fromHex("01"))))
        .isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(checkpoint(held, 2, KEY).refusal).isNull();
    assertThat(state(tunnel, ChannelKey.base(low)))
        .extracting(ChannelState::checkpointed, ChannelState::key)
        .containsExactly(2L, KEY);
    coordinator.disconnected(port);
    port.held.clear();
    session(tunnel);
    assertThat(held(low).key()).isEqualTo(KEY);
    assertThat(held(low).checkpointed()).isEqualTo(2);
  }

  @Test
  void a_base_channel_is_terminated_at_the_end_that_its_worker_was_told() throws IOException {
    TunnelInfo tunnel = base();
    session(tunnel);
    Assignment held = held(low);
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch() - 1, 3), port);
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch(), 3), new FakeSession());
    assertThat(channel(tunnel, ChannelKey.base(low)).end()).isEmpty();
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch(), 3), port);
    assertThat(channel(tunnel, ChannelKey.base(low)).end()).contains(3L);
    assertThat(code(checkpoint(held, 2, Bytes.EMPTY))).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(checkpoint(held, 3, KEY).refusal).isNull();
    coordinator.release(new ChannelRef(held.handle(), held.epoch()), port);
    assertThat(channel(tunnel, ChannelKey.base(low)).status()).isEqualTo(ChannelStatus.TERMINATED);
    assertThat(state(tunnel, ChannelKey.base(low)).isFinished()).isTrue();
    assertThat(held(low).type()).as("its changes come behind it").isEqualTo(ChannelType.Stream);
    assertThat(held(low).checkpointed()).isEqualTo(20);
  }

  @Test
  void an_end_in_front_of_what_is_checkpointed_is_not_taken() {
    TunnelInfo tunnel = base();
    session(tunnel);
    Assignment held = held(low);
    checkpoint(held, 2, KEY);
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch(), 1), port);
    assertThat(state(tunnel, ChannelKey.base(low)).end()).isEmpty();
  }

  @Test
  void a_base_channel_is_behind_by_the_rows_that_the_node_knows_of() throws IOException {
    TunnelInfo tunnel = base();
    session(tunnel);
    Assignment held = held(low);
    IntToLongFunction none = partition -> LogFigures.UNKNOWN;
    assertThat(lagRows(tunnel, none)).as("no replica of the partition").isEqualTo(-1);
    IntToLongFunction some = partition -> partition == low ? 40 : 0;
    assertThat(lagRows(tunnel, some)).isEqualTo(40);
    checkpoint(held, 3, KEY);
    assertThat(lagRows(tunnel, some)).isEqualTo(37);
    assertThat(lagRows(tunnel, partition -> 2)).as("never less than 0").isZero();
    coordinator.limit(new ChannelEnd(held.handle(), held.epoch(), 5), port);
    assertThat(lagRows(tunnel, some)).as("the end is known").isEqualTo(2);
  }
}
