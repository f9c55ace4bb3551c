package io.tunnel.sdk.read;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryState;
import io.tunnel.sdk.delivery.DeliveryTaker;
import io.tunnel.sdk.delivery.PartitionDelivery;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.PartitionControl.Watch;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The reading of one partition, from the node that serves it at the time. Runs on the reader's
 * thread.
 */
final class PartitionFeed implements DeliveryTaker {

  /**
   * An attached node counts as serving after this time, even without a delivery: there may be no
   * change, or the program may hold all credit.
   */
  private static final long SERVED_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final long number;
  private final ReadStart start;
  private final Feeds feeds;
  private final long outageNanosMax;
  private final PartitionDelivery delivery;
  private long received;
  private Bytes receivedKey;

  /** The last position seen, with its incarnation; the next server checks for lost changes. */
  private Optional<KnownPosition> known;

  private long unreleased;

  /** The rows being read include the changes up to this position, and no later changes. */
  private Optional<Long> rowsAt = Optional.empty();

  /** Incarnation of the changes that the current node delivers. */
  private Optional<Long> incarnation = Optional.empty();

  /** Time of the first failure since the partition was last served. */
  private long troubledNanos;

  /** Nodes that failed to serve the partition since it was last served. */
  private final Set<Endpoint> useless = new HashSet<>();

  PartitionFeed(long number, ReadStart start, Feeds feeds, PartitionReaderConfig config) {
    this.number = number;
    this.start = start;
    this.feeds = feeds;
    this.outageNanosMax = config.outageMax().toNanos();
    this.delivery =
        new PartitionDelivery(
            feeds.links(), this, PartitionControl.EPOCH, start.end(), SERVED_NANOS);
    this.received = start.position();
    this.receivedKey = start.key();
    this.known = start.known();
  }

  /** Number of this feed, unique in its reader. */
  long number() {
    return number;
  }

  ReadStart start() {
    return start;
  }

  /** True while the end is a time whose position is not known. */
  boolean looksForEnd() {
    return !isOver() && delivery.limit().isEmpty() && start.endMs().isPresent();
  }

  private boolean isOver() {
    return delivery.state() == DeliveryState.ENDED;
  }

  /** Asks the node that serves the partition to deliver it. */
  void seek() {
    if (isOver()) {
      return;
    }
    ReadPartition request =
        new ReadPartition(
            start.partition(),
            start.type(),
            received,
            start.type() == ChannelType.BaseData ? receivedKey : Bytes.EMPTY,
            delivery.limit(),
            start.endMs(),
            known);
    DeliveryLink server = feeds.nodeFor(start.partition(), useless);
    if (feeds.terms().isPresent()) {
      delivery.attach(server, Operation.WATCH, new Watch(request, feeds.terms().get()));
    } else {
      delivery.attach(server, Operation.READ_PARTITION, request);
    }
  }

  @Override
  public void attached(Optional<Long> there) {
    rowsAt = Optional.empty();
    incarnation = there;
    know(
        known
            .map(KnownPosition::position)
            .orElse(start.type() == ChannelType.Stream ? received : 0));
    giveCredit();
  }

  /**
   * Notes that all changes up to {@code position} were seen. An earlier incarnation makes no
   * difference: the server has confirmed that none of these changes is lost.
   */
  private void know(long position) {
    long last = Math.max(position, known.map(KnownPosition::position).orElse(0L));
    known = incarnation.map(in -> new KnownPosition(last, in));
  }

  /** Raises the credit by at least half, so that not every release sends a frame. */
  private void giveCredit() {
    long bytesMax = feeds.shareBytesMax();
    delivery.giveCredit(bytesMax - unreleased, bytesMax / 2);
  }

  /** Sets the last position to read. */
  void limit(long position) {
    delivery.limitTo(Math.max(position, received));
  }

  /**
   * In rows: the next rows have the state at {@code position}. In changes of a watch, the next
   * server need not look up to there again. A reader of all changes ignores the call: the settled
   * positions have no changes, and a later READ_PARTITION skips them again.
   */
  @Override
  public void settled(long position) {
    if (start.type() == ChannelType.BaseData) {
      rowsAt = Optional.of(position);
      know(position);
    } else if (feeds.terms().isPresent() && position > received) {
      received = position;
      know(position);
      feeds
          .inbox()
          .put(
              new Received(
                  number,
                  start,
                  Optional.empty(),
                  0,
                  Optional.empty(),
                  incarnation,
                  Optional.of(position)));
    }
  }

  @Override
  public void delivered(byte[] payload) {
    Delivery delivered = Delivery.decode(payload);
    unreleased += payload.length;
    List<ChangeBatch> batches = delivered.batches();
    ChangeBatch last = batches.get(batches.size() - 1);
    received = Math.min(last.lastPosition(), delivery.limit().orElse(Long.MAX_VALUE));
    if (start.type() == ChannelType.BaseData) {
      receivedKey = lastKey(last);
    } else {
      know(received);
    }
    put(Optional.of(delivered), payload.length);
  }

  /** Puts a delivery into the inbox; an absent delivery marks the end of the partition. */
  private void put(Optional<Delivery> delivered, int bytes) {
    feeds
        .inbox()
        .put(new Received(number, start, delivered, bytes, rowsAt, incarnation, Optional.empty()));
  }

  @Override
  public void served() {
    useless.clear();
  }

  private static Bytes lastKey(ChangeBatch batch) {
    RowCursor row = batch.rows();
    Bytes key = Bytes.EMPTY;
    for (int left = batch.rowCount(); row.next(); left--) {
      if (left == 1) {
        key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      }
    }
    return key;
  }

  /** The program has processed deliveries of this size. */
  void released(int bytes) {
    unreleased -= bytes;
    giveCredit();
  }

  @Override
  public void ended(long position) {
    end();
    feeds.over(this);
    put(Optional.empty(), 0);
  }

  @Override
  public void failed(Throwable reason) {
    Endpoint left = delivery.node().orElseThrow();
    feeds.left(start.partition(), left, reason);
    if (Feeds.isUseless(reason)) {
      useless.add(left);
    }
    long nowNanos = feeds.nowNanos();
    boolean isFirst = delivery.failures() == 0;
    if (isFirst) {
      troubledNanos = nowNanos;
    }
    if (!PartitionDelivery.mayPass(reason)) {
      giveUp(reason, "cannot be read");
    } else if (!isFirst && nowNanos - troubledNanos >= outageNanosMax) {
      giveUp(reason, "was not delivered for too long");
    } else {
      delivery.pause(reason);
    }
  }

  @Override
  public void pauseOver() {
    seek();
  }

  private void giveUp(Throwable reason, String what) {
    end();
    String text =
        "partition %d %s behind position %d: %s"
            .formatted(start.partition(), what, received, reason.getMessage());
    feeds.inbox().fail(failure(reason, text));
  }

  /** An exception of the type of {@code reason}, with this text. */
  private static RuntimeException failure(Throwable reason, String text) {
    if (reason instanceof ConnectionException connection) {
      return connection.isLasting()
          ? ConnectionException.lasting(text, reason)
          : new ConnectionException(text, true, reason);
    }
    return new RefusedException(
        reason instanceof RefusedException refused ? refused.code() : ErrorCode.INTERNAL, text);
  }

  /** Ends the feed. Idempotent. */
  void end() {
    delivery.end();
  }
}
