package io.tunnel.server.channel;

import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.channel.ration.Ration;
import io.tunnel.server.table.BaseRows;
import io.tunnel.wire.ChannelEnd;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.RejectedExecutionException;

/**
 * Delivers the rows of a partition; a row's position is its number. Other threads read rows, a
 * batch at a time, and the connection's thread delivers them.
 */
final class BaseChannel implements Channel {

  private final Start start;
  private final Source source;
  private final DeliveryPort port;
  private final BaseChannelCore core;
  private final Ration ration;
  private Bytes lastKey;

  /** Position of the rows that the connection received last; -1 before the first. */
  private long toldAt = -1;

  /** Whether space was promised for the read in progress; at most one read has a promise. */
  private boolean isPromised;

  private final Runnable again = this::readOn;
  private boolean isAwake;
  private volatile long delivered;

  /** The rows of the channel's partition. */
  @FunctionalInterface
  interface Source {
    /** See {@link BaseRows#read}. */
    void read(Bytes after, long firstPosition, int bytesMax, BaseRows.Sink sink);
  }

  BaseChannel(
      Start start, Bytes afterKey, Source source, DeliveryPort port, Channels.Pacing pacing) {
    this.start = start;
    this.source = source;
    this.port = port;
    this.core = new BaseChannelCore(start.checkpointed(), pacing.deliveryBytesMax());
    this.ration = pacing.rations().ofChannel();
    this.lastKey = afterKey;
    this.delivered = start.checkpointed();
  }

  @Override
  public void start() {
    readOn();
  }

  @Override
  public long epoch() {
    return start.epoch();
  }

  @Override
  public long delivered() {
    return delivered;
  }

  @Override
  public void endAt(long position) {
    throw new IllegalStateException(
        "the base channel of partition "
            + start.partition()
            + " ends where its rows end, not at "
            + position);
  }

  @Override
  public void credit(int bytes) {
    core.credit(bytes);
    readOn();
  }

  /** May be called during a delivery of this channel, so it looks after the delivery is counted. */
  @Override
  public void resume() {
    if (!isAwake) {
      isAwake = true;
      port.execute(
          () -> {
            isAwake = false;
            readOn();
          });
    }
  }

  @Override
  public void stop() {
    core.stop();
  }

  private void readOn() {
    guarded(
        () -> {
          isPromised |=
              core.wantsRows() && port.isWritable() && claimTurn() && port.promisePage(again);
          OptionalInt bytesMax = core.beginRead(isPromised);
          if (bytesMax.isPresent()) {
            source.read(lastKey, core.nextPosition(), bytesMax.getAsInt(), new Result());
          }
        });
  }

  /** Rows are never live: their number is known only after they were read. */
  private boolean claimTurn() {
    return ration.claimTurn(Long.MAX_VALUE, 0, port::after, again);
  }

  /** Receives the result of a read on any thread, and passes it to the connection's thread. */
  private final class Result implements BaseRows.Sink {

    private OptionalLong at = OptionalLong.empty();

    @Override
    public void at(long position) {
      at = OptionalLong.of(position);
    }

    @Override
    public void rows(byte[] batch, long lastPosition, Bytes key, boolean isEnd) {
      OptionalLong known = at;
      post(
          () -> {
            known.ifPresent(BaseChannel.this::tellAt);
            deliver(batch, lastPosition, key, isEnd);
          });
    }

    @Override
    public void more() {
      post(core::foundMore);
    }

    @Override
    public void end() {
      OptionalLong known = at;
      post(
          () -> {
            known.ifPresent(BaseChannel.this::tellAt);
            core.foundEnd();
          });
    }

    @Override
    public void failed(RuntimeException reason) {
      post(
          () -> {
            throw reason;
          });
    }

    private void post(Runnable found) {
      try {
        port.execute(() -> take(found));
      } catch (RejectedExecutionException e) {
        // The connection's thread has ended, so nothing waits for the rows.
        return;
      }
    }
  }

  private void take(Runnable found) {
    if (core.isStopped()) {
      readOver();
      return;
    }
    guarded(
        () -> {
          found.run();
          readOver();
          if (core.isEnded()) {
            port.end(new ChannelEnd(start.handle(), start.epoch(), delivered));
          } else {
            readOn();
          }
        });
  }

  private void readOver() {
    if (isPromised) {
      isPromised = false;
      port.pageOver();
    }
  }

  /**
   * Tells the reader that the next rows, or the end of rows, include all changes up to {@code
   * position}.
   */
  private void tellAt(long position) {
    if (position != toldAt) {
      toldAt = position;
      port.settled(new ChannelEnd(start.handle(), start.epoch(), position));
    }
  }

  private void deliver(byte[] batch, long lastPosition, Bytes key, boolean isEnd) {
    int bytes =
        port.deliver(
            start.handle(), start.epoch(), core.nextPosition(), batch, lastPosition - delivered);
    ration.delivered(lastPosition - delivered, bytes);
    core.delivered(lastPosition, bytes, isEnd);
    lastKey = key;
    delivered = lastPosition;
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | VirtualMachineError e) {
      RefusedException reason = Failure.of(start.partition(), e);
      readOver();
      stop();
      port.fail(start.handle(), reason);
    }
  }
}
