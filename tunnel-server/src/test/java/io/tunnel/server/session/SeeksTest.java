package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.catalog.Asked;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.Move;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An operator moves the progress of a tunnel. */
final class SeeksTest extends OperatorsFixture {

  @Test
  void a_seek_fences_holders_and_no_stale_checkpoint_undoes_it() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    Assignment former = held(low);
    port.checkpoint(coordinator, new Checkpoint(former.handle(), former.epoch(), 5));
    assertThat(Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 2L)).moves())
        .containsExactly(new Move(id(tunnel, low), low, ChannelType.Stream, 5, 2));
    assertThat(port.fences).extracting(fence -> fence.handle()).containsExactly(former.handle());
    assertThat(held(low).checkpointed()).isEqualTo(2);
    assertThat(held(low).epoch()).isGreaterThan(former.epoch());
    requireRefused(
        ErrorCode.FENCED,
        "no longer held",
        () -> port.checkpoint(coordinator, new Checkpoint(former.handle(), former.epoch(), 6)));
    assertThat(at(tunnel, low)).isEqualTo(2);
  }

  @Test
  void a_dry_run_says_what_would_happen_and_does_nothing() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    int writes = store.writes();
    Seek dry =
        new Seek(
            "t",
            "n",
            List.of(),
            Optional.of(StreamStart.LATEST),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            true);
    assertThat(Seeks.now(operators, dry).moves())
        .extracting(Move::from, Move::to)
        .containsExactly(tuple(0L, 6L), tuple(0L, 6L));
    assertThat(store.writes()).isEqualTo(writes);
    assertThat(port.fences).isEmpty();
    assertThat(at(tunnel, low)).isZero();
  }

  @Test
  void a_seek_by_time_goes_in_front_of_the_first_change_at_or_after_it() throws IOException {
    TunnelInfo tunnel = earliest();
    Seeks.now(operators, seek(List.of(), null, 200L, null));
    assertThat(at(tunnel, low)).isEqualTo(3);
    Seeks.now(operators, seek(List.of(), null, 201L, null));
    assertThat(at(tunnel, high)).isEqualTo(6);
    Seeks.now(operators, seek(List.of(), null, 0L, null));
    assertThat(at(tunnel, high)).isZero();
    Seeks.now(operators, seek(List.of(), StreamStart.LATEST, null, null));
    assertThat(at(tunnel, high)).isEqualTo(6);
  }

  @Test
  void a_seek_beyond_either_end_is_refused_with_what_is_valid() throws IOException {
    TunnelInfo tunnel = earliest();
    String channel = id(tunnel, low);
    String valid = "positions 0 to 6";
    requireRefused(
        ErrorCode.INVALID_POSITION,
        valid,
        () -> Seeks.now(operators, seek(List.of(channel), null, null, 7L)));
    requireRefused(
        ErrorCode.INVALID_POSITION,
        valid,
        () -> Seeks.now(operators, seek(List.of(channel), null, null, -1L)));
    requireRefused(
        ErrorCode.INVALID_POSITION,
        "to now, 1970-01-01T00:00:01Z, not 1970-01-01T00:00:01.001Z",
        () -> Seeks.now(operators, seek(List.of(), null, 1_001L, null)));
    requireRefused(
        ErrorCode.CHANNEL_NOT_FOUND,
        "no channel '9_x'",
        () -> Seeks.now(operators, seek(List.of("9_x"), StreamStart.LATEST, null, null)));
    Seeks.now(operators, seek(List.of(channel), null, null, 6L));
    Seeks.now(operators, seek(List.of(channel), null, null, 0L));
  }

  @Test
  void what_is_no_longer_kept_is_lost_and_not_skipped() throws IOException {
    TunnelInfo tunnel = earliest();
    log.seal();
    write(300);
    log.trim(Map.of(low, 4L), partition -> true, log.end());
    assertThat(log.firstPosition(low)).isEqualTo(7);
    String channel = id(tunnel, low);
    requireRefused(
        ErrorCode.HISTORY_LOST,
        "changes 4 to 6 are no longer kept; the channel of partition " + low,
        () -> Seeks.now(operators, seek(List.of(channel), null, null, 3L)));
    requireRefused(
        ErrorCode.HISTORY_LOST,
        "committed at 300",
        () -> Seeks.now(operators, seek(List.of(channel), null, 200L, null)));
    Seeks.now(operators, seek(List.of(channel), StreamStart.EARLIEST, null, null));
    assertThat(at(tunnel, low)).isEqualTo(6);
    Seeks.now(operators, seek(List.of(id(tunnel, high)), null, 100L, null));
    assertThat(at(tunnel, high)).as("all of it is kept").isZero();
    createStartingAt(200);
    assertThat(failed)
        .singleElement()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST));
  }

  private void createStartingAt(long startMs) {
    create(
        new CreateTunnel(
            "t",
            "late",
            TunnelType.Stream,
            StreamStart.EARLIEST,
            Optional.of(startMs),
            Optional.empty()));
    surroundings.passBarriers();
  }

  @Test
  void a_moment_behind_all_that_a_partition_lost_is_found_also_when_nothing_of_it_is_kept()
      throws IOException {
    TunnelInfo tunnel = earliest();
    log.seal();
    log.trim(Map.of(low, Long.MAX_VALUE), partition -> true, log.end());
    assertThat(log.firstPosition(low)).isEqualTo(7);
    requireRefused(
        ErrorCode.HISTORY_LOST,
        "changes 1 to 6 of partition " + low,
        () -> Seeks.now(operators, seek(List.of(), null, 200L, null)));
    Seeks.now(operators, seek(List.of(), null, 201L, null));
    assertThat(at(tunnel, low)).isEqualTo(6);
    assertThat(at(tunnel, high)).isEqualTo(6);
    write(300);
    createStartingAt(250);
    assertThat(failed).isEmpty();
    TunnelInfo late = created.get(created.size() - 1);
    assertThat(at(late, low)).as("in front of what came later").isEqualTo(6);
    assertThat(at(late, high)).isEqualTo(6);
  }

  @Test
  void a_seek_that_cannot_be_stored_has_not_happened() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    store.fail(true);
    assertThatThrownBy(() -> Seeks.now(operators, seek(List.of(), StreamStart.LATEST, null, null)))
        .isInstanceOf(IOException.class);
    store.fail(false);
    assertThat(port.fences).isEmpty();
    assertThat(at(tunnel, low)).isZero();
  }

  @Test
  void a_seek_keeps_the_error_and_a_resume_clears_it() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    coordinator.stop(
        new StopChannel(held(low).handle(), held(low).epoch(), "CORRUPT: unreadable"), port);
    Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 5L));
    assertThat(port.held).hasSize(1);
    operators.resume(new ChannelSelection("t", "n", List.of(id(tunnel, low))), Asked.NAMELESS);
    assertThat(held(low).checkpointed()).isEqualTo(5);
    assertThat(catalog.channel(tunnel.tunnelId(), stream(low)).error()).isEmpty();
  }
}
