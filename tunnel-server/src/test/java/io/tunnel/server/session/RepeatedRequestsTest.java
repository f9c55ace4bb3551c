package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.ChannelState;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Requests with an unknown outcome come again with their ids. */
final class RepeatedRequestsTest extends OperatorsFixture {

  private static Asked asked(String id, String what) {
    return new Asked(Optional.of(id), what);
  }

  @Test
  void a_creation_and_a_deletion_of_which_nobody_knows_are_not_done_again() throws IOException {
    CreateTunnel request = new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.EARLIEST);
    Asked create = asked("1", "CREATE_TUNNEL t n");
    store.loseWord();
    create(request, create);
    assertThat(failed).singleElement().isInstanceOf(UnknownOutcomeException.class);
    start();
    create(request, create);
    assertThat(created).hasSize(1);
    assertThat(catalog.tunnels(Optional.empty())).containsExactlyElementsOf(created);
    Asked delete = asked("2", "DELETE_TUNNEL t n");
    store.loseWord();
    assertThatThrownBy(() -> operators.delete(new TunnelName("t", "n"), delete))
        .isInstanceOf(UnknownOutcomeException.class);
    start();
    operators.delete(new TunnelName("t", "n"), delete);
    create(request);
    operators.delete(new TunnelName("t", "n"), delete);
    assertThat(catalog.tunnels(Optional.empty())).as("of another creation").hasSize(1);
  }

  /** Behind the first seek a worker has checkpointed; a second one would undo that. */
  @Test
  void a_seek_of_which_nobody_knows_is_answered_and_not_done_again() throws IOException {
    TunnelInfo tunnel = earliest();
    Asked asked = asked("1", "SEEK t n");
    Seek seek = seek(List.of(id(tunnel, low)), null, null, 5L);
    store.loseWord();
    assertThatThrownBy(() -> Seeks.now(operators, seek, asked))
        .isInstanceOf(UnknownOutcomeException.class);
    start();
    catalog.store(tunnel.tunnelId(), Map.of(stream(low), ChannelState.startingAt(6)));
    SeekResult answer = Seeks.now(operators, seek, asked);
    assertThat(answer.moves()).hasSize(1);
    assertThat(answer.moves().get(0).to()).isEqualTo(5);
    assertThat(catalog.channel(tunnel.tunnelId(), stream(low)).checkpointed()).isEqualTo(6);
  }

  @Test
  void a_pause_that_comes_again_does_not_undo_a_resume() throws IOException {
    TunnelInfo tunnel = earliest();
    ChannelSelection all = new ChannelSelection("t", "n", List.of());
    Asked pause = asked("1", "PAUSE t n");
    operators.pause(all, pause);
    operators.resume(all, asked("2", "RESUME t n"));
    operators.pause(all, pause);
    assertThat(catalog.isPaused(tunnel.tunnelId())).isFalse();
  }
}
