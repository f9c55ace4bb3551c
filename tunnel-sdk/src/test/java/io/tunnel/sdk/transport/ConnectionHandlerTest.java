package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One connection's requests, in a time that passes only when a test says so. */
class ConnectionHandlerTest {

  private static final byte[] NOTHING = {};
  private static final long LOOK_MS = 30_000L / ConnectionHandler.LOOKS_PER_DEADLINE;

  /** A socket that takes no bytes while full. */
  private static final class Socket extends ChannelOutboundHandlerAdapter {
    final List<Operation> sent = new ArrayList<>();
    final List<Runnable> stuck = new ArrayList<>();
    boolean isFull;

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      ByteBuf bytes = (ByteBuf) message;
      Operation operation = Operation.of(bytes.getByte(4) & 0xff);
      bytes.release();
      Runnable sending =
          () -> {
            sent.add(operation);
            promise.trySuccess();
          };
      if (isFull) {
        stuck.add(sending);
      } else {
        sending.run();
      }
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
      stuck.clear();
      var unused = context.close(promise);
    }

    void drain() {
      isFull = false;
      stuck.forEach(Runnable::run);
      stuck.clear();
    }
  }

  private final Socket socket = new Socket();
  private final ConnectionHandler handler = new ConnectionHandler("node:1", PushReceiver.NONE);
  private final EmbeddedChannel netty = new EmbeddedChannel(socket, handler);

  ConnectionHandlerTest() {
    netty.freezeTime();
  }

  @AfterEach
  void close() {
    netty.finishAndReleaseAll();
  }

  private CompletableFuture<Frame> ask(Operation operation, long seconds, boolean mayMove) {
    return ask(new PendingRequest(operation, Duration.ofSeconds(seconds), mayMove), 0, 0);
  }

  private CompletableFuture<Frame> ask(PendingRequest request, int prefixBytes, int payloadBytes) {
    handler.send(request, new byte[prefixBytes], ByteBuffer.allocate(payloadBytes));
    return request.answer();
  }

  private CompletableFuture<Frame> create(int prefixBytes, int payloadBytes) {
    PendingRequest request = new PendingRequest(Operation.CREATE_TABLE, Duration.ofSeconds(30));
    return ask(request, prefixBytes, payloadBytes);
  }

  private void pass(long millis) {
    for (long left = millis; left > 0; left -= 100) {
      netty.advanceTimeBy(100, TimeUnit.MILLISECONDS);
      netty.runScheduledPendingTasks();
    }
  }

  private void receive(Operation operation, FrameKind kind, int correlationId) {
    Frame frame = new Frame(operation, kind, correlationId, NOTHING);
    netty.writeInbound(Unpooled.wrappedBuffer(frame.header(), frame.payload()));
  }

  private static ConnectionException failureOf(CompletableFuture<Frame> answer) {
    assertThat(answer).isCompletedExceptionally();
    return (ConnectionException) answer.handle((frame, failure) -> failure).join();
  }

  @Test
  void what_was_received_is_given_back_to_its_pool_be_it_in_parts_or_no_frame() {
    Frame frame = new Frame(Operation.DELIVER, FrameKind.PUSH, 0, new byte[100]);
    ByteBuf whole = Unpooled.wrappedBuffer(frame.header(), frame.payload());
    ByteBuf part = Unpooled.copiedBuffer(frame.header());
    ByteBuf broken = Unpooled.wrappedBuffer(new byte[] {-1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0});
    for (ByteBuf received : List.of(whole, part, broken)) {
      netty.writeInbound(received);
      assertThat(received.refCnt()).isZero();
    }
  }

  /** The server would close the connection on which others wait. */
  @Test
  void a_request_that_no_frame_holds_is_refused_and_the_others_go_on() {
    CompletableFuture<Frame> before = ask(Operation.GET_ROW, 30, true);
    int bytesMax = Operation.CREATE_TABLE.requestBytesMax();
    CompletableFuture<Frame> tooLarge = create(0, bytesMax + 1);
    CompletableFuture<Frame> together = create(100, bytesMax - 99);
    for (CompletableFuture<Frame> refused : List.of(tooLarge, together)) {
      assertThat(refused).isCompletedExceptionally();
      assertThatThrownBy(refused::join)
          .rootCause()
          .isInstanceOfSatisfying(
              RefusedException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.FRAME_TOO_LARGE))
          .hasMessageContaining("a request of " + (bytesMax + 1) + " bytes")
          .hasMessageContaining("at most " + bytesMax);
    }
    assertThat(socket.sent).containsExactly(Operation.GET_ROW);
    CompletableFuture<Frame> largest = create(100, bytesMax - 100);
    assertThat(socket.sent).containsExactly(Operation.GET_ROW, Operation.CREATE_TABLE);
    receive(Operation.GET_ROW, FrameKind.RESPONSE, 1);
    receive(Operation.CREATE_TABLE, FrameKind.RESPONSE, 2);
    assertThat(before).isCompleted();
    assertThat(largest).isCompleted();
    assertThat(netty.isOpen()).isTrue();
    assertThat(handler.isIdle()).isTrue();
  }

  @Test
  void what_is_sent_after_its_deadline_was_not_certainly_not_sent() {
    socket.isFull = true;
    CompletableFuture<Frame> write = ask(Operation.WRITE, 5, false);
    receive(Operation.DELIVER, FrameKind.PUSH, 0);
    pass(5_000);
    assertThat(failureOf(write).retriable()).isFalse();
    assertThat(netty.isOpen()).isTrue();
    socket.drain();
    assertThat(socket.sent).containsExactly(Operation.WRITE);
  }

  @Test
  void what_a_dead_connection_has_not_taken_is_never_sent_and_may_be_again() {
    socket.isFull = true;
    CompletableFuture<Frame> write = ask(Operation.WRITE, 5, false);
    pass(5_000);
    assertThat(failureOf(write).retriable()).isTrue();
    assertThat(netty.isOpen()).isFalse();
    socket.drain();
    assertThat(socket.sent).isEmpty();
  }

  @Test
  void reads_leave_a_silent_server_and_changes_wait_for_it() {
    CompletableFuture<Frame> read = ask(Operation.GET_ROW, 30, true);
    CompletableFuture<Frame> write = ask(Operation.WRITE, 30, false);
    pass(2 * LOOK_MS);
    assertThat(socket.sent).containsExactly(Operation.GET_ROW, Operation.WRITE, Operation.DETACH);
    assertThat(read).isNotDone();
    pass(LOOK_MS);
    assertThat(failureOf(read)).hasMessageContaining("is silent and does not answer a probe");
    assertThat(handler.isSilent()).isTrue();
    assertThat(write).isNotDone();
    assertThat(netty.isOpen()).isTrue();
    // The server was only suspended: it answers the change, and then the connection closes.
    receive(Operation.WRITE, FrameKind.RESPONSE, 2);
    assertThat(write).isCompleted();
    assertThat(netty.isOpen()).isFalse();
  }

  @Test
  void a_silent_connection_that_nobody_waits_on_is_closed_at_once() {
    CompletableFuture<Frame> read = ask(Operation.GET_ROW, 30, true);
    pass(3 * LOOK_MS);
    assertThat(read).isCompletedExceptionally();
    assertThat(netty.isOpen()).isFalse();
  }

  @Test
  void a_server_that_is_slow_but_there_is_waited_for() {
    CompletableFuture<Frame> read = ask(Operation.DESCRIBE_TABLE, 30, true);
    for (int correlationId = 2; correlationId < 6; correlationId++) {
      pass(2 * LOOK_MS);
      receive(Operation.DETACH, FrameKind.ERROR, correlationId);
    }
    assertThat(read).isNotDone();
    assertThat(handler.isSilent()).isFalse();
    receive(Operation.DESCRIBE_TABLE, FrameKind.RESPONSE, 1);
    assertThat(read).isCompleted();
  }

  @Test
  void nobody_is_asked_anything_while_only_changes_are_waited_for() {
    CompletableFuture<Frame> write = ask(Operation.WRITE, 30, false);
    pass(29_900);
    assertThat(socket.sent).containsExactly(Operation.WRITE);
    assertThat(write).isNotDone();
    pass(100);
    assertThatThrownBy(write::join).hasRootCauseInstanceOf(ConnectionException.class);
  }

  @Test
  void silence_is_noticed_again_after_a_pause_in_which_nobody_asked() {
    CompletableFuture<Frame> read = ask(Operation.GET_ROW, 30, true);
    pass(100);
    receive(Operation.GET_ROW, FrameKind.RESPONSE, 1);
    assertThat(read).isCompleted();
    pass(60_000);
    CompletableFuture<Frame> later = ask(Operation.GET_ROW, 30, true);
    pass(2 * LOOK_MS);
    assertThat(later).isNotDone();
    pass(LOOK_MS);
    assertThat(later).isCompletedExceptionally();
  }
}
