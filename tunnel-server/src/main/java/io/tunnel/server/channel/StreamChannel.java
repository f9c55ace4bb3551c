package io.tunnel.server.channel;

import io.tunnel.model.Bytes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.log.ChangeReader;
import io.tunnel.server.log.Extents;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of a partition. Its commit listener may be called by any thread.
 *
 * <p>A commit wakes the channel at most once until it has looked: {@code isAwake} is taken back
 * before the look, so a commit that comes during it wakes it again and no wake-up is lost.
 */
public final class StreamChannel implements Channel {

  private static final Logger LOGGER = LoggerFactory.getLogger(StreamChannel.class);

  private final int handle;
  private final long epoch;
  private final int partition;
  private final ChangeReader changes;
  private final DeliveryPort port;
  private final ChannelCore core;
  private final AtomicBoolean isAwake = new AtomicBoolean();
  private final ChangeReader.CommitListener onCommit = (id, position) -> wake();
  private volatile long delivered;

  /** A channel that has no credit yet. */
  public StreamChannel(Hold hold, ChangeReader changes, DeliveryPort port, int deliveryBytesMax) {
    this.handle = hold.handle();
    this.epoch = hold.epoch();
    this.partition = hold.partition();
    this.changes = changes;
    this.port = port;
    this.core = new ChannelCore(hold.checkpointed(), deliveryBytesMax);
    this.delivered = hold.checkpointed();
  }

  @Override
  public void start() {
    changes.subscribe(partition, onCommit);
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public long delivered() {
    return delivered;
  }

  @Override
  public OptionalLong end() {
    return OptionalLong.empty();
  }

  @Override
  public Resume resumeAt(long position) {
    return new Resume(position, Bytes.EMPTY);
  }

  @Override
  public void credit(int bytes) {
    core.credit(bytes);
    deliver();
  }

  /**
   * The connection takes more again. It may say so in the middle of a delivery of this very
   * channel, when a flush drains its buffer; so the channel only wakes, and looks when that
   * delivery is counted.
   */
  @Override
  public void resume() {
    wake();
  }

  @Override
  public void stop() {
    core.stop();
    changes.unsubscribe(partition, onCommit);
  }

  private void wake() {
    if (isAwake.compareAndSet(false, true)) {
      port.execute(this::lookAfterWake);
    }
  }

  private void lookAfterWake() {
    isAwake.set(false);
    deliver();
  }

  /**
   * Delivers once and, if there is more, comes back later, so that the connection's other channels
   * get their turn.
   */
  private void deliver() {
    if (!core.wants(changes.committed(partition)) || !port.isWritable()) {
      return;
    }
    try {
      long from = core.nextPosition();
      Extents batches = changes.plan(partition, from, core.bytesMax());
      if (batches.isEmpty()) {
        return;
      }
      int bytes = port.deliver(handle, epoch, from, batches);
      core.delivered(batches.lastPosition(), bytes);
      delivered = core.delivered();
      if (core.wants(changes.committed(partition))) {
        wake();
      }
    } catch (RefusedException e) {
      fail(e);
    } catch (IOException e) {
      fail(
          new RefusedException(ErrorCode.STORAGE_FAILED, "cannot read the log: " + e.getMessage()));
    }
  }

  private void fail(RefusedException reason) {
    LOGGER.error("partition {} cannot be delivered: {}", partition, reason.getMessage());
    stop();
    port.fail(handle, reason);
  }
}
