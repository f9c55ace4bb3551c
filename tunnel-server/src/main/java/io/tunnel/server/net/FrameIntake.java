package io.tunnel.server.net;

import io.netty.buffer.ByteBuf;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.Budget;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Decodes the frames of one connection, and closes it when a frame stays incomplete. Belongs to the
 * connection's event loop.
 *
 * <p>Until the client has greeted, frames are limited to the length of a greeting. A frame's
 * deadline counts ticks of the event loop while the connection is read from, so pauses of the
 * server do not count against the client.
 */
final class FrameIntake {

  /** Bytes behind the length of a frame from a client that has not greeted. */
  static final int GREETING_BYTES_MAX = 4 * 1024;

  private static final int TICKS = 10;

  /** What the first record of TLS opens with: a handshake, of version 3. No frame is so long. */
  private static final int TLS_OPENING = 0x1603;

  private static final int TLS_OPENING_BYTES = 2;

  /** The memory of incomplete frames, by what evicts their connections. */
  private final Budget<Runnable> partial;

  private final Runnable crowdedOut;
  private final long tickMs;
  private final int idleMsMax;
  private final Owner owner;
  private FrameAssembler assembler = new FrameAssembler(GREETING_BYTES_MAX);
  private final Consumer<Frame> whole;
  private long wholeFrames;

  /** The value of {@code wholeFrames} at the last check for idleness. */
  private long idleFrames;

  /** The reported memory of the incomplete frame, and its number. */
  private int heldBytes;

  private long heldFrame;

  /** The first bytes of the connection, up to {@value #TLS_OPENING_BYTES}. */
  private int opening;

  private int openingBytes;
  private boolean isTicking;
  private long tickedFrame;
  private int ticksLeft;
  private boolean isClosed;

  /** The scheduled check; cancelled at the end, because it would keep the connection in memory. */
  private Optional<Future<?>> nextLook = Optional.empty();

  private Optional<Future<?>> nextTick = Optional.empty();

  /** The connection. */
  interface Owner {

    /** Takes a complete frame. */
    void take(Frame frame);

    /** Whether the connection is being read from. */
    boolean isReading();

    /** Whether the connection holds nothing and waits only for the next frame. */
    boolean isIdle();

    /** Ends the connection. For any thread. */
    void end(Farewell why);

    /**
     * Runs {@code task} on the event loop after {@code delay}, unless the returned future is
     * cancelled before.
     */
    Future<?> schedule(Runnable task, long delay, TimeUnit unit);
  }

  FrameIntake(Budget<Runnable> partial, NetLimits limits, Owner owner) {
    this.partial = partial;
    this.crowdedOut = () -> owner.end(Farewell.FRAME_CROWDED_OUT);
    this.tickMs = Math.max(1, limits.frameMsMax() / TICKS);
    this.idleMsMax = limits.idleMsMax();
    this.owner = owner;
    this.whole =
        frame -> {
          wholeFrames++;
          owner.take(frame);
        };
  }

  /** The client has greeted: its next frames may be as long as the protocol allows. */
  void greeted() {
    assembler.limit(Limits.FRAME_BYTES_MAX);
    if (!isClosed) {
      lookLater();
    }
  }

  private void lookLater() {
    idleFrames = wholeFrames;
    nextLook = Optional.of(owner.schedule(this::look, idleMsMax, TimeUnit.MILLISECONDS));
  }

  private void look() {
    if (!isClosed && wholeFrames == idleFrames && !assembler.isMidFrame() && owner.isIdle()) {
      owner.end(Farewell.IDLE);
    } else if (!isClosed) {
      lookLater();
    }
  }

  /**
   * Takes all bytes.
   *
   * @throws FrameException when they cannot be a frame
   */
  void take(ByteBuf bytes) {
    try {
      feed(bytes);
    } catch (FrameException e) {
      throw openingBytes == TLS_OPENING_BYTES && opening == TLS_OPENING
          ? new FrameException(
              ErrorCode.INVALID_REQUEST,
              "this looks like TLS, which this port does not speak; leave TLS out of the client's"
                  + " profile, or start the server with --security DIR")
          : e;
    }
    if (!isClosed) {
      tell(assembler.heldBytes());
      if (assembler.isMidFrame() && !isTicking) {
        isTicking = true;
        restart();
        tickLater();
      }
    }
  }

  private void feed(ByteBuf bytes) {
    for (int i = 0; i < bytes.readableBytes() && openingBytes < TLS_OPENING_BYTES; i++) {
      opening = opening << Byte.SIZE | bytes.getUnsignedByte(bytes.readerIndex() + i);
      openingBytes++;
    }
    for (ByteBuffer part : bytes.nioBuffers()) {
      if (!isClosed) {
        assembler.feed(part, whole);
      }
    }
  }

  private void tell(int held) {
    if (held != 0 || heldBytes != 0) {
      if (heldFrame != wholeFrames) {
        // The frame is a new one, and younger than those that others have begun.
        partial.set(crowdedOut, 0);
      }
      heldBytes = held;
      heldFrame = wholeFrames;
      partial.set(crowdedOut, held);
      partial.relieve(Runnable::run);
    }
  }

  private void tickLater() {
    nextTick = Optional.of(owner.schedule(this::tick, tickMs, TimeUnit.MILLISECONDS));
  }

  private void restart() {
    tickedFrame = wholeFrames;
    ticksLeft = TICKS;
  }

  private void tick() {
    if (isClosed || !assembler.isMidFrame()) {
      isTicking = false;
      return;
    }
    if (tickedFrame != wholeFrames) {
      restart();
    } else if (owner.isReading()) {
      ticksLeft--;
    }
    if (ticksLeft == 0) {
      owner.end(Farewell.FRAME_LATE);
    } else {
      tickLater();
    }
  }

  /** Drops the incomplete frame and all further bytes. */
  void close() {
    if (!isClosed) {
      isClosed = true;
      nextLook.ifPresent(look -> look.cancel(false));
      nextTick.ifPresent(tick -> tick.cancel(false));
      // The connection may stay open for its last message, and must not keep the frame in memory.
      assembler = new FrameAssembler(GREETING_BYTES_MAX);
      tell(0);
    }
  }
}
