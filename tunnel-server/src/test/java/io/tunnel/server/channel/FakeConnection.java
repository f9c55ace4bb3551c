package io.tunnel.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.Extents;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Delivery;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * A connection whose thread is the test's: what was posted runs when the test says so. It may be
 * full, and may drain in the middle of a delivery, as a flush does.
 */
final class FakeConnection implements DeliveryPort {

  final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();

  /** What is to run after a while. */
  final Queue<Runnable> resting = new ConcurrentLinkedQueue<>();

  /** The time, which passes when what rests is run. */
  long nanos;

  final List<RefusedException> failures = new ArrayList<>();

  /** Positions delivered, in order. */
  final List<Long> positions = new ArrayList<>();

  /** Keys of the rows of base channels, in order. */
  final List<Bytes> keys = new ArrayList<>();

  /** The first position of each delivery of changes, as the reader is told it. */
  final List<Long> firsts = new ArrayList<>();

  final List<ChannelEnd> ends = new ArrayList<>();
  final List<ChannelEnd> settled = new ArrayList<>();

  boolean isWritable = true;

  /** Whether there is room for a page that is to be read. */
  boolean hasRoom = true;

  /** Whether a page was promised its room, and is not over. */
  boolean hasPage;

  Runnable duringDelivery = () -> {};
  private long credit;
  private int largestDelivery;

  void credit(Channel channel, int bytes) {
    credit += bytes;
    channel.credit(bytes);
  }

  /** What was given to one channel is not the next one's. */
  void creditOfNextHolder() {
    credit = 0;
    largestDelivery = 0;
  }

  /** The last position that was delivered to a channel that began behind another. */
  long delivered(long checkpointed) {
    return positions.isEmpty() ? checkpointed : positions.get(positions.size() - 1);
  }

  long credit() {
    return credit;
  }

  void runAll() {
    do {
      for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
        task.run();
      }
    } while (restOver());
  }

  /** Lets the time pass after which the first that rests goes on; false when none does. */
  boolean restOver() {
    Runnable task = resting.poll();
    if (task == null) {
      return false;
    }
    nanos += TimeUnit.MILLISECONDS.toNanos(100);
    task.run();
    return true;
  }

  @Override
  public boolean isWritable() {
    return isWritable;
  }

  @Override
  public boolean promisePage(Runnable again) {
    assertThat(hasPage).as("a channel reads one page at a time").isFalse();
    hasPage = hasRoom;
    return hasRoom;
  }

  @Override
  public void pageOver() {
    assertThat(hasPage).isTrue();
    hasPage = false;
  }

  @Override
  public void execute(Runnable action) {
    posted.add(action);
  }

  @Override
  public void after(long nanos, Runnable action) {
    assertThat(nanos).isPositive();
    resting.add(action);
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, Extents batches)
      throws IOException {
    assertThat(credit).as("credit before a delivery").isPositive();
    ByteBuffer target = ByteBuffer.allocate(batches.bytes());
    batches.read(target);
    firsts.add(firstPosition);
    int count = 0;
    for (int at = 0; at < target.limit(); count++) {
      ChangeBatch batch = ChangeBatch.parse(target.array(), at, target.limit());
      RowCursor row = batch.rows();
      while (row.next()) {
        long position = batch.basePosition() + row.index();
        if (position >= firstPosition) {
          positions.add(position);
        }
      }
      at += batch.byteCount();
    }
    if (count > 1) {
      assertThat((long) batches.bytes()).as("more than one batch").isLessThanOrEqualTo(credit);
    }
    return sent(Delivery.PREFIX_BYTES + batches.bytes());
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, byte[] batch, long count) {
    assertThat(credit).as("credit before a delivery").isPositive();
    ChangeBatch rows = ChangeBatch.parse(batch, 0, batch.length);
    assertThat(rows.basePosition()).isEqualTo(firstPosition);
    assertThat(rows.rowCount()).isEqualTo((int) count);
    if (rows.rowCount() > 1) {
      assertThat((long) batch.length).as("more than one row").isLessThanOrEqualTo(credit);
    }
    for (RowCursor row = rows.rows(); row.next(); ) {
      positions.add(rows.basePosition() + row.index());
      keys.add(Bytes.copyOf(batch, row.keyOffset(), row.keyBytes()));
    }
    return sent(Delivery.PREFIX_BYTES + batch.length);
  }

  @Override
  public void charge(int handle, long rows, long bytes) {
    throw new AssertionError("nothing is looked at in vain");
  }

  private int sent(int bytes) {
    assertThat(ends).as("a delivery behind the end").isEmpty();
    largestDelivery = Math.max(largestDelivery, bytes);
    credit -= bytes;
    assertThat(credit).isGreaterThan(-largestDelivery);
    duringDelivery.run();
    return bytes;
  }

  @Override
  public void end(ChannelEnd end) {
    ends.add(end);
  }

  @Override
  public void settled(ChannelEnd upTo) {
    settled.add(upTo);
  }

  @Override
  public void fail(int handle, RefusedException reason) {
    failures.add(reason);
  }
}
