package io.tunnel.sdk.read;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.delivery.DeliveryReceiver;
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ClusterControl.Attached;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.PartitionControl;
import io.tunnel.wire.PartitionControl.ReadPartition;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One partition that is read: from the node that serves it, and from another when that changes,
 * each time behind what was received. So a change of node costs neither duplicates nor gaps.
 *
 * <p>Credit belongs to the partition: a node is given what is left of it, and a new node the same
 * again, because what was left at the former one will never be used. On the reader's thread.
 */
final class PartitionFeed implements DeliveryReceiver {

  static final long EPOCH = PartitionControl.EPOCH;
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
  private State state = State.SEEKING;
  private Optional<Long> end;
  private long received;
  private Bytes receivedKey;

  /** What was seen, as the service is asked about it before it goes on with the partition. */
  private Optional<KnownPosition> known;

  private long unreleased;

  // Of the present attachment, or the attempt at one.
  private long attempts;
  private Optional<ReadNode> node = Optional.empty();
  private int handle;
  private long creditThere;
  private Optional<Long> endThere = Optional.empty();

  /** Rows that come have all changes up to this position and none behind it. */
  private Optional<Long> rowsAt = Optional.empty();

  /** Of what the present node delivers. */
  private Optional<Long> incarnation = Optional.empty();

  private long attachedNanos;

  private int failures;
  private long troubledNanos;

  /** Nodes that failed since the partition was last served. */
  private final Set<Endpoint> useless = new HashSet<>();

  /** SEEKING to READING and back as often as need be; to ENDED from anywhere, for good. */
  private enum State {
    SEEKING,
    READING,
    ENDED
  }

  PartitionFeed(long number, ReadStart start, Feeds feeds, PartitionReaderConfig config) {
    this.number = number;
    this.start = start;
    this.feeds = feeds;
    this.outageNanosMax = config.outageMax().toNanos();
    this.end = start.end();
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
    return state != State.ENDED && end.isEmpty() && start.endMs().isPresent();
  }

  /** Asks the node that serves the partition for it. */
  void seek() {
    if (state != State.SEEKING) {
      return;
    }
    attempts++;
    long attempt = attempts;
    ReadNode asked = feeds.nodeFor(start.partition(), useless);
    node = Optional.of(asked);
    endThere = end;
    ReadPartition request =
        new ReadPartition(
            start.partition(),
            start.type(),
            received,
            start.type() == ChannelType.BaseData ? receivedKey : Bytes.EMPTY,
            end,
            start.endMs(),
            known);
    var unused =
        asked
            .link()
            .request(Operation.READ_PARTITION, Json.encode(request))
            .whenComplete((answer, failure) -> answered(attempt, asked, answer, failure));
  }

  private void answered(long attempt, ReadNode asked, Frame answer, Throwable failure) {
    boolean isWanted = attempt == attempts && state == State.SEEKING;
    if (failure != null) {
      if (isWanted) {
        failed(Caller.unwrap(failure));
      }
      return;
    }
    Attached attached = Json.decode(answer.payload(), Attached.class);
    int there = attached.handle();
    if (!isWanted || asked.link().isClosed()) {
      asked.link().detach(there, EPOCH);
      if (isWanted) {
        failed(
            new ConnectionException(
                "the connection to " + asked.endpoint() + " was lost", true, null));
      }
      return;
    }
    state = State.READING;
    rowsAt = Optional.empty();
    handle = there;
    creditThere = 0;
    attachedNanos = feeds.port().nanos();
    incarnation = attached.incarnation();
    know(
        known
            .map(KnownPosition::position)
            .orElse(start.type() == ChannelType.Stream ? received : 0));
    asked.link().attach(there, this);
    tellEnd();
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

  private void giveCredit() {
    long bytesMax = feeds.shareBytesMax();
    long missing = bytesMax - unreleased - creditThere;
    // In halves, so that not every delivery is answered by a frame.
    if (state == State.READING && missing > 0 && (missing >= bytesMax / 2 || creditThere <= 0)) {
      creditThere += missing;
      push(
          Operation.CREDIT,
          new Credit(handle, EPOCH, (int) Math.min(missing, Integer.MAX_VALUE)).encode());
    }
  }

  private void push(Operation operation, byte[] payload) {
    node.orElseThrow().link().push(operation, payload);
  }

  /** Where it ends is known now. */
  void limit(long position) {
    end = Optional.of(Math.max(position, received));
    tellEnd();
  }

  private void tellEnd() {
    if (state == State.READING && !end.equals(endThere)) {
      endThere = end;
      push(Operation.LIMIT, new ChannelEnd(handle, EPOCH, end.orElseThrow()).encode());
    }
  }

  /**
   * Rows that come next are as they were there. Of changes it says something of positions that
   * belong to none: a later READ_PARTITION passes them again.
   */
  @Override
  public void settled(ChannelEnd upTo) {
    if (start.type() == ChannelType.BaseData) {
      rowsAt = Optional.of(upTo.position());
      know(upTo.position());
    }
  }

  @Override
  public void delivered(byte[] payload) {
    Delivery delivery = Delivery.decode(payload);
    int bytes = payload.length;
    served();
    creditThere -= bytes;
    unreleased += bytes;
    List<ChangeBatch> batches = delivery.batches();
    ChangeBatch last = batches.get(batches.size() - 1);
    received = Math.min(last.lastPosition(), end.orElse(Long.MAX_VALUE));
    if (start.type() == ChannelType.BaseData) {
      receivedKey = lastKey(last);
    } else {
      know(received);
    }
    feeds
        .inbox()
        .put(new Received(number, start, Optional.of(delivery), bytes, rowsAt, incarnation));
  }

  private void served() {
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
  public void ended(ChannelEnd said) {
    leave();
    state = State.ENDED;
    feeds.over(this);
    feeds.inbox().put(new Received(number, start, Optional.empty(), 0, rowsAt, incarnation));
  }

  /** The node does not deliver, or not any more. */
  @Override
  public void failed(Throwable reason) {
    if (state == State.ENDED) {
      return;
    }
    long nowNanos = feeds.port().nanos();
    if (state == State.READING && nowNanos - attachedNanos >= SERVED_NANOS) {
      served();
    }
    node.map(ReadNode::endpoint)
        .ifPresent(
            left -> {
              feeds.left(start.partition(), left, reason);
              if (Feeds.isUseless(reason)) {
                useless.add(left);
              }
            });
    node = Optional.empty();
    state = State.SEEKING;
    if (failures == 0) {
      troubledNanos = nowNanos;
    }
    failures++;
    if (!mayPass(reason)) {
      giveUp(reason, "cannot be read");
    } else if (failures > 1 && nowNanos - troubledNanos >= outageNanosMax) {
      giveUp(reason, "was not delivered for too long");
    } else {
      long pause = PAUSES.pauseNanos(failures, feeds.port().chance());
      feeds.port().later(pause, this::seek);
    }
  }

  private static boolean mayPass(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.retriable()
        : reason instanceof ConnectionException;
  }

  private void giveUp(Throwable reason, String what) {
    state = State.ENDED;
    ErrorCode code =
        reason instanceof RefusedException refused ? refused.code() : ErrorCode.INTERNAL;
    String text =
        "partition "
            + start.partition()
            + " "
            + what
            + " behind position "
            + received
            + ": "
            + reason.getMessage();
    RuntimeException failure =
        reason instanceof ConnectionException
            ? new ConnectionException(text, true, reason)
            : new RefusedException(code, text);
    feeds.inbox().fail(failure);
  }

  /** Nothing more is wanted. Idempotent. */
  void end() {
    leave();
    state = State.ENDED;
  }

  private void leave() {
    if (state == State.READING) {
      node.ifPresent(from -> from.link().detach(handle, EPOCH));
    }
    node = Optional.empty();
  }
}
