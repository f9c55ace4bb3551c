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
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One partition that is read: from the node that serves it, and from others when that one does not.
 * On the reader's thread.
 */
final class PartitionFeed implements DeliveryTaker {

  private static final BackoffCore PAUSES = BackoffCore.ofMillis(20, 1_000);

  /**
   * A node that has us attached for so long serves the partition, also if there is nothing to
   * deliver, or nothing may be because its user holds on to what there is.
   */
  private static final long SERVED_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final long number;
  private final ReadStart start;
  private final Feeds feeds;
  private final long outageNanosMax;
  private final PartitionDelivery delivery;
  private long received;
  private Bytes receivedKey;

  /** What was seen, as the service is asked about it before it goes on with the partition. */
  private Optional<KnownPosition> known;

  private long unreleased;

  /** Rows that come have all changes up to this position and none behind it. */
  private Optional<Long> rowsAt = Optional.empty();

  /** Of what the present node delivers. */
  private Optional<Long> incarnation = Optional.empty();

  /** Since the partition was last served; the first of them came at {@link #troubledNanos}. */
  private int failures;

  private long troubledNanos;

  /** Nodes that failed since the partition was last served. */
  private final Set<Endpoint> useless = new HashSet<>();

  PartitionFeed(long number, ReadStart start, Feeds feeds, PartitionReaderConfig config) {
    this.number = number;
    this.start = start;
    this.feeds = feeds;
    this.outageNanosMax = config.outageMax().toNanos();
    this.delivery =
        new PartitionDelivery(
            feeds.port(), this, PartitionControl.EPOCH, start.end(), SERVED_NANOS);
    this.received = start.position();
    this.receivedKey = start.key();
    this.known = start.known();
  }

  /** Names this reading among all of the reader's. */
  long number() {
    return number;
  }

  ReadStart start() {
    return start;
  }

  /** Whether it ends at a moment that nobody has found yet. */
  boolean looksForEnd() {
    return !isOver() && delivery.limit().isEmpty() && start.endMs().isPresent();
  }

  private boolean isOver() {
    return delivery.state() == DeliveryState.ENDED;
  }

  /** Asks the node that serves the partition for it. */
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
    delivery.attach(server, Operation.READ_PARTITION, request);
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
   * Everything up to there was seen. That it was in an earlier incarnation makes no difference: the
   * service has said that nothing of it was lost.
   */
  private void know(long position) {
    long last = Math.max(position, known.map(KnownPosition::position).orElse(0L));
    known = incarnation.map(in -> new KnownPosition(last, in));
  }

  /** In halves, so that not every delivery is answered by a frame. */
  private void giveCredit() {
    long bytesMax = feeds.shareBytesMax();
    delivery.giveCredit(bytesMax - unreleased, bytesMax / 2);
  }

  /** Where it ends is known now. */
  void limit(long position) {
    delivery.limitTo(Math.max(position, received));
  }

  /**
   * Rows that come next are as they were there. Of changes it says something of positions that
   * belong to none: a later READ_PARTITION passes them again.
   */
  @Override
  public void settled(long position) {
    if (start.type() == ChannelType.BaseData) {
      rowsAt = Optional.of(position);
      know(position);
    }
  }

  @Override
  public void delivered(byte[] payload) {
    Delivery delivered = Delivery.decode(payload);
    served();
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

  /** Without a delivery it says that nothing comes behind. */
  private void put(Optional<Delivery> delivered, int bytes) {
    feeds.inbox().put(new Received(number, start, delivered, bytes, rowsAt, incarnation));
  }

  @Override
  public void served() {
    failures = 0;
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

  /** The reader's user is done with so many bytes. */
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
    long nowNanos = feeds.port().nowNanos();
    if (failures == 0) {
      troubledNanos = nowNanos;
    }
    failures++;
    if (!PartitionDelivery.mayPass(reason)) {
      giveUp(reason, "cannot be read");
    } else if (failures > 1 && nowNanos - troubledNanos >= outageNanosMax) {
      giveUp(reason, "was not delivered for too long");
    } else {
      long pause = PAUSES.pauseNanos(failures, feeds.port().chance());
      feeds.port().later(pause, this::seek);
    }
  }

  private void giveUp(Throwable reason, String what) {
    end();
    String text =
        "partition %d %s behind position %d: %s"
            .formatted(start.partition(), what, received, reason.getMessage());
    feeds.inbox().fail(failure(reason, text));
  }

  /** Of the kind of {@code reason}. */
  private static RuntimeException failure(Throwable reason, String text) {
    if (reason instanceof ConnectionException connection) {
      return connection.isLasting()
          ? ConnectionException.lasting(text, reason)
          : new ConnectionException(text, true, reason);
    }
    return new RefusedException(
        reason instanceof RefusedException refused ? refused.code() : ErrorCode.INTERNAL, text);
  }

  /** Nothing more is wanted. Idempotent. */
  void end() {
    delivery.end();
  }
}
