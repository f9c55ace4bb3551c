package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.Budget;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class FrameIntakeTest {

  private static final int DEADLINE_MS = 1_000;
  private static final int IDLE_MS = 60_000;
  private static final int HEADER = 12;
  private static final NetLimits LIMITS =
      new NetLimits(
          DEADLINE_MS,
          64 << 20,
          8_192,
          128 << 20,
          128 << 20,
          32 << 20,
          64,
          2_500,
          IDLE_MS,
          100,
          100);

  private final Budget<Runnable> partial = new Budget<>(1 << 20);
  private final Recording owner = new Recording();
  private final FrameIntake intake = new FrameIntake(partial, LIMITS, owner);

  private static final class Recording implements FrameIntake.Owner {
    private final List<Frame> frames = new ArrayList<>();
    private final Queue<FutureTask<?>> scheduled = new ArrayDeque<>();
    private boolean isReading = true;
    private final Queue<FutureTask<?>> looks = new ArrayDeque<>();
    private boolean isIdle = true;
    private boolean isIdleTooLong;
    private boolean isLate;
    private int crowdedOut;
    private long elapsedMs;

    @Override
    public void take(Frame frame) {
      frames.add(frame);
    }

    @Override
    public boolean isReading() {
      return isReading;
    }

    @Override
    public boolean isIdle() {
      return isIdle;
    }

    @Override
    public void end(Farewell why) {
      isLate |= why == Farewell.FRAME_LATE;
      isIdleTooLong |= why == Farewell.IDLE;
      crowdedOut += why == Farewell.FRAME_CROWDED_OUT ? 1 : 0;
    }

    @Override
    public Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
      FutureTask<?> future = new FutureTask<>(task, null);
      if (unit.toMillis(delay) == IDLE_MS) {
        looks.add(future);
      } else {
        scheduled.add(future);
        elapsedMs += unit.toMillis(delay);
      }
      return future;
    }

    private void pass(int ticks) {
      for (int i = 0; i < ticks && !scheduled.isEmpty(); i++) {
        scheduled.remove().run();
      }
    }
  }

  private static byte[] frame(int payloadBytes) {
    byte[] bytes = new byte[HEADER + payloadBytes];
    Frame.writeHeader(bytes, 0, 20, FrameKind.REQUEST, 1, payloadBytes);
    return bytes;
  }

  private void take(byte[] bytes, int from, int to) {
    intake.take(Unpooled.wrappedBuffer(Arrays.copyOfRange(bytes, from, to)));
  }

  @Test
  void until_the_greeting_a_frame_of4_ki_b_is_taken_and_one_byte_more_is_not() {
    byte[] largest = frame(FrameIntake.GREETING_BYTES_MAX + 4 - HEADER);
    take(largest, 0, largest.length);
    assertThat(owner.frames).hasSize(1);
    byte[] larger = frame(FrameIntake.GREETING_BYTES_MAX + 5 - HEADER);
    assertThatThrownBy(() -> take(larger, 0, HEADER))
        .isInstanceOf(FrameException.class)
        .hasMessageContaining("at most 4096")
        .extracting(e -> ((FrameException) e).code())
        .isEqualTo(ErrorCode.FRAME_TOO_LARGE);
    assertThat(partial.taken()).isZero();
  }

  @Test
  void behind_the_greeting_the_limit_is_the_protocols() {
    intake.greeted();
    byte[] largest = frame(Limits.FRAME_BYTES_MAX + 4 - HEADER);
    take(largest, 0, HEADER);
    assertThat(partial.taken()).as("an announcement takes little").isLessThanOrEqualTo(256 * 1024);
    take(largest, HEADER, largest.length);
    assertThat(owner.frames).hasSize(1);
    assertThat(partial.taken()).isZero();
  }

  @Test
  void a_frame_that_is_left_is_late_when_the_deadline_is_over() {
    byte[] frame = frame(100);
    intake.greeted();
    take(frame, 0, 50);
    assertThat(partial.taken()).isEqualTo(100);
    owner.pass(9);
    assertThat(owner.isLate).isFalse();
    owner.pass(1);
    assertThat(owner.isLate).isTrue();
    assertThat(owner.elapsedMs).isEqualTo(DEADLINE_MS);
  }

  @Test
  void one_byte_now_and_then_does_not_move_the_deadline() {
    byte[] frame = frame(100);
    take(frame, 0, 20);
    for (int i = 20; i < 30; i++) {
      take(frame, i, i + 1);
      owner.pass(1);
    }
    assertThat(owner.isLate).isTrue();
  }

  @Test
  void time_in_which_the_server_does_not_read_is_not_the_clients() {
    byte[] frame = frame(100);
    take(frame, 0, 50);
    owner.isReading = false;
    owner.pass(50);
    assertThat(owner.isLate).isFalse();
    owner.isReading = true;
    owner.pass(10);
    assertThat(owner.isLate).isTrue();
  }

  @Test
  void a_frame_that_becomes_whole_is_forgotten_and_the_next_has_its_own_deadline() {
    byte[] frame = frame(100);
    take(frame, 0, 50);
    owner.pass(9);
    take(frame, 50, frame.length);
    take(frame, 0, 50);
    owner.pass(10);
    assertThat(owner.isLate).isFalse();
    take(frame, 50, frame.length);
    assertThat(owner.frames).hasSize(2);
    owner.pass(1);
    assertThat(owner.scheduled).isEmpty();
    assertThat(partial.taken()).isZero();
  }

  @Test
  void a_frame_for_which_others_leave_no_memory_is_given_up() {
    intake.greeted();
    Runnable other = () -> {};
    byte[] frame = frame(100);
    take(frame, 0, 50);
    partial.set(other, (1 << 20) - 100);
    partial.relieve(Runnable::run);
    assertThat(owner.crowdedOut).isZero();
    partial.set(other, (1 << 20) - 99);
    partial.relieve(Runnable::run);
    assertThat(owner.crowdedOut).isEqualTo(1);
  }

  @Test
  void a_connection_that_is_closed_holds_nothing_and_takes_nothing() {
    byte[] frame = frame(100);
    take(frame, 0, 50);
    intake.close();
    assertThat(partial.taken()).isZero();
    assertThat(owner.scheduled).hasSize(1).allMatch(Future::isCancelled);
    take(frame, 50, frame.length);
    assertThat(owner.frames).isEmpty();
    owner.pass(20);
    assertThat(owner.isLate).isFalse();
  }

  @Test
  void a_client_that_speaks_tls_is_told_that_however_its_bytes_are_cut() {
    byte[] hello = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3, 7};
    for (int cut = 0; cut < hello.length; cut++) {
      FrameIntake fresh = new FrameIntake(partial, LIMITS, owner);
      int first = cut;
      assertThatThrownBy(
              () -> {
                fresh.take(Unpooled.wrappedBuffer(hello, 0, first));
                fresh.take(Unpooled.wrappedBuffer(hello, first, hello.length - first));
              })
          .hasMessageContaining("this looks like TLS, which this port does not speak")
          .isInstanceOfSatisfying(
              FrameException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
    }
  }

  @Test
  void garbage_that_only_begins_like_tls_behind_a_frame_is_garbage() {
    intake.take(Unpooled.wrappedBuffer(frame(4)));
    assertThatThrownBy(
            () -> intake.take(Unpooled.wrappedBuffer(new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1})))
        .hasMessageContaining("a frame of 369295618 bytes");
  }

  private void look() {
    owner.looks.remove().run();
  }

  @Test
  void a_connection_that_asks_and_holds_nothing_is_ended_at_the_second_look() {
    intake.greeted();
    byte[] request = frame(4);
    take(request, 0, request.length);
    look();
    assertThat(owner.isIdleTooLong).isFalse();
    owner.isIdle = false;
    look();
    assertThat(owner.isIdleTooLong).isFalse();
    owner.isIdle = true;
    take(request, 0, HEADER);
    look();
    assertThat(owner.isIdleTooLong).isFalse();
    take(request, HEADER, request.length);
    look();
    assertThat(owner.isIdleTooLong).isFalse();
    look();
    assertThat(owner.isIdleTooLong).isTrue();
    assertThat(owner.looks).isEmpty();
  }

  @Test
  void nobody_looks_at_a_connection_that_is_gone() {
    owner.isIdle = false;
    intake.greeted();
    look();
    intake.close();
    assertThat(owner.looks).hasSize(1).allMatch(Future::isCancelled);
    FrameIntake gone = new FrameIntake(partial, LIMITS, owner);
    gone.close();
    gone.greeted();
    assertThat(owner.looks).hasSize(1);
  }
}
