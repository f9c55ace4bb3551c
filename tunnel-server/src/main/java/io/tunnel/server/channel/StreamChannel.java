package io.tunnel.server.channel;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.channel.ration.Ration;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.control.PartitionControl;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Delivers the changes of a partition. Any thread may call its commit listener.
 *
 * <p>A commit wakes the channel at most once before its next look. The channel resets {@code
 * isAwake} before the look, so a commit during the look wakes it again, and no wake-up is lost.
 */
final class StreamChannel implements Channel {

  private final int handle;
  private final long epoch;
  private final int partition;
  private final ChangeReader all;
  private final DeliveryPort port;
  private final ChannelCore core;
  private final Ration ration;
  private final Runnable afterRest = this::rested;
  private final AtomicBoolean isAwake = new AtomicBoolean();
  private final ChangeReader.CommitListener onCommit = (id, position) -> wake();
  private final End firstEnd;

  private volatile long delivered;

  /** The changes that may be shown: some while the end is unknown, all once it is known. */
  private ChangeReader changes;

  /**
   * The end of a channel.
   *
   * @param position position of the last change, if known
   * @param ms otherwise the time of the end: changes committed at or after it, in milliseconds
   *     since 1970, are left out; empty for a channel without an end
   */
  record End(OptionalLong position, Optional<Long> ms) {

    /** The changes that may be shown now. */
    ChangeReader visible(ChangeReader all) {
      return position.isEmpty() ? EndingChanges.of(ms, all) : all;
    }
  }

  /** A channel without credit. */
  StreamChannel(
      Start start, End end, ChangeReader changes, DeliveryPort port, Channels.Pacing pacing) {
    this.handle = start.handle();
    this.epoch = start.epoch();
    this.partition = start.partition();
    this.all = changes;
    this.changes = end.visible(changes);
    this.port = port;
    this.core = new ChannelCore(start.checkpointed(), pacing.deliveryBytesMax());
    this.ration = pacing.rations().ofChannel();
    this.firstEnd = end;
    this.delivered = start.checkpointed();
  }

  @Override
  public void start() {
    all.subscribe(partition, onCommit);
    guarded(
        () -> {
          firstEnd.position().ifPresent(this::setEnd);
          deliver();
        });
  }

  private void setEnd(long position) {
    core.endAt(position);
    changes = all;
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
  public void endAt(long position) {
    port.execute(
        () -> {
          if (!core.isStopped()) {
            guarded(
                () -> {
                  setEnd(position);
                  deliver();
                });
          }
        });
  }

  @Override
  public void credit(int bytes) {
    core.credit(bytes);
    guarded(this::deliver);
  }

  /**
   * May be called during a delivery of this channel, when a flush drains the connection's buffer;
   * so the channel only wakes, and looks after the delivery is counted.
   */
  @Override
  public void resume() {
    wake();
  }

  @Override
  public void stop() {
    core.stop();
    all.unsubscribe(partition, onCommit);
  }

  private void wake() {
    if (isAwake.compareAndSet(false, true)) {
      port.execute(this::lookAfterWake);
    }
  }

  private void lookAfterWake() {
    isAwake.set(false);
    guarded(this::deliver);
  }

  private void deliver() throws IOException {
    if (core.isStopped()) {
      return;
    }
    if (core.wants(reach()) && port.isWritable() && claimTurn()) {
      deliverOnce();
    }
    if (core.takeEnd()) {
      all.unsubscribe(partition, onCommit);
      delivered = core.end();
      port.end(new ChannelEnd(handle, epoch, core.end()));
    }
  }

  /** Whether the channel is live, or has its turn among channels that lag far. */
  private boolean claimTurn() {
    boolean isOlder = core.nextPosition() < all.firstPosition(partition);
    long behind = isOlder ? Long.MAX_VALUE : all.bytesAfter(partition, core.delivered());
    return ration.claimTurn(behind, all.committed(partition), port::after, afterRest);
  }

  private void rested() {
    guarded(this::deliver);
  }

  /** Last position that may hold a change: changes missing here may be in another log. */
  private long reach() {
    return Math.max(changes.committed(partition), changes.firstPosition(partition) - 1);
  }

  /**
   * Makes one delivery; delivers the rest later, so that other channels of the connection get their
   * turn.
   */
  private void deliverOnce() throws IOException {
    long from = core.nextPosition();
    Extents planned = changes.plan(partition, from, core.bytesMax());
    if (planned.isEmpty()) {
      return;
    }
    Extents batches = planned.upTo(core.end());
    if (batches.isEmpty()) {
      deliverLast(from);
      return;
    }
    int bytes;
    try {
      bytes = port.deliver(handle, epoch, from, batches);
    } catch (RefusedException e) {
      // The changes were trimmed after they were located; the next look finds out whether they are
      // lost.
      if (e.code() != ErrorCode.HISTORY_LOST) {
        throw e;
      }
      wake();
      return;
    }
    ration.delivered(batches.lastPosition() - core.delivered(), bytes);
    core.delivered(batches.lastPosition(), bytes);
    delivered = core.delivered();
    if (core.wants(reach())) {
      wake();
    }
  }

  /**
   * Delivers the batch that contains the end. A tunnel's end is never inside of a batch; a reader
   * without a tunnel chooses its end, and skips the rest of the batch.
   */
  private void deliverLast(long from) throws IOException {
    if (epoch != PartitionControl.EPOCH) {
      throw new IllegalStateException(
          "the channel ends at " + core.end() + ", inside of the batch that holds change " + from);
    }
    int bytes = port.deliver(handle, epoch, from, changes.plan(partition, from, 1));
    core.delivered(core.end(), bytes);
    delivered = core.delivered();
  }

  /** A step of a channel on the connection's thread. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  /** Runs a step, and tells the worker when it fails: a channel must not just fall silent. */
  private void guarded(Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException | VirtualMachineError e) {
      RefusedException reason = Failure.of(partition, e);
      stop();
      port.fail(handle, reason);
    }
  }
}
