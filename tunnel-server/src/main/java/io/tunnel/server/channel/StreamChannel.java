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
 * The changes of a partition. Its commit listener may be called by any thread.
 *
 * <p>A commit wakes the channel at most once until it has looked: {@code isAwake} is taken back
 * before the look, so a commit that comes during it wakes it again and no wake-up is lost.
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

  /** What of the changes may be shown as long as the end is not known; all of them, when it is. */
  private ChangeReader changes;

  /**
   * Where a channel ends.
   *
   * @param position of its last change, if that is known
   * @param ms otherwise, it ends in front of what was committed at or after this moment, in
   *     milliseconds since 1970; empty for one that does not end
   */
  record End(OptionalLong position, Optional<Long> ms) {

    /**
     * Whether an end may become known that lies before what is settled then: the reader is not told
     * what is settled, since it could checkpoint more than there will be.
     */
    boolean isToBeFound() {
      return position.isEmpty() && ms.isPresent();
    }

    /** What may be shown now. */
    ChangeReader visible(ChangeReader all) {
      return isToBeFound() ? EndingChanges.of(ms, all) : all;
    }
  }

  /** A channel that has no credit yet. */
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
    // In this order: what is settled now is committed, if it is a change, when that is asked for.
    long settled = changes.settled(partition);
    long committed = changes.committed(partition);
    if (core.wants(reach(committed)) && port.isWritable() && mayDeliver()) {
      deliverOnce();
    }
    // Also behind the last delivery: nobody may wake the channel again.
    if (core.delivered() >= committed && isEmptyUpTo(settled)) {
      core.emptyUpTo(settled);
      tellSettled(settled);
    }
    if (core.takeEnd()) {
      all.unsubscribe(partition, onCommit);
      delivered = core.end();
      port.end(new ChannelEnd(handle, epoch, core.end()));
    }
  }

  /** Whether it is live, or it is its turn among those who are far behind. */
  private boolean mayDeliver() {
    boolean isOlder = core.nextPosition() < all.firstPosition(partition);
    long behind = isOlder ? Long.MAX_VALUE : all.bytesAfter(partition, core.delivered());
    return ration.mayDeliver(behind, all.committed(partition), port::after, afterRest);
  }

  private void rested() {
    guarded(this::deliver);
  }

  /** Up to where there may be changes: what this log has not may be in another. */
  private long reach(long committed) {
    return Math.max(committed, changes.firstPosition(partition) - 1);
  }

  /**
   * Whether it is known that there is nothing to deliver up to there. What is not in the log need
   * not be empty: it may have gone, or never been put there.
   *
   * @throws RefusedException HISTORY_LOST when it will never be known
   */
  private boolean isEmptyUpTo(long settled) {
    if (settled < core.nextPosition()) {
      return true;
    }
    Extents next = all.plan(partition, core.nextPosition(), 1);
    return !next.isAwaited() && (next.isEmpty() || next.firstPosition() > settled);
  }

  /** Records that are no changes are the last ones: the reader may checkpoint them. */
  private void tellSettled(long settled) {
    if (!firstEnd.isToBeFound() && port.isWritable() && core.takeSettled(settled)) {
      delivered = settled;
      port.settled(new ChannelEnd(handle, epoch, settled));
    }
  }

  /**
   * Delivers once and, if there is more, comes back later, so that the connection's other channels
   * get their turn.
   */
  private void deliverOnce() throws IOException {
    long from = core.nextPosition();
    Extents planned = changes.plan(partition, from, core.bytesMax());
    if (planned.isEmpty()) {
      return;
    }
    if (planned.firstPosition() > core.end()) {
      core.emptyUpTo(core.end());
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
      // Given up since they were planned. Whether that is a loss, the next plan says.
      if (e.code() != ErrorCode.HISTORY_LOST) {
        throw e;
      }
      wake();
      return;
    }
    ration.delivered(batches.lastPosition() - core.delivered(), bytes);
    core.delivered(batches.lastPosition(), bytes);
    delivered = core.delivered();
    if (core.wants(reach(changes.committed(partition)))) {
      wake();
    }
  }

  /**
   * The end lies inside of a batch. A tunnel's end never does; who reads without one says where to
   * end, and skips what is behind that in the batch.
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

  /** Something that a channel does on the connection's thread. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  /** A channel that fails says so; it must not just fall silent. */
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
