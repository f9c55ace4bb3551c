package io.tunnel.sdk.delivery;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.Renewal;
import java.util.Optional;

/**
 * The delivery of one partition: from the server that leads it, and from another one when that
 * changes. Its {@link DeliveryTaker} says which server is asked, and asks each for what lies behind
 * what it has received by then; what a former server still says is dropped. So a change of server
 * costs neither duplicates nor gaps.
 *
 * <p>Credit belongs to the taker. A server is given what the taker has left of it, and the next
 * server as much again, because what was left at the former one will never be used.
 *
 * <p>On the one thread of its worker or reader.
 */
public final class PartitionDelivery {

  private final DeliveryThread thread;
  private final DeliveryTaker taker;
  private final long epoch;
  private final long servedNanos;
  private DeliveryState state = DeliveryState.IDLE;

  /** Requests to attach so far: an answer counts only to the last one, while it is ATTACHING. */
  private long attempts;

  /** Nothing behind this position is wanted, if it is known. */
  private Optional<Long> limit;

  /** The {@link #limit} that the present server knows. */
  private Optional<Long> limitThere;

  /** The newest grant of the channel; empty for a reader without a tunnel. */
  private Optional<Bytes> grant = Optional.empty();

  /** The {@link #grant} that the present server knows. */
  private Optional<Bytes> grantThere = Optional.empty();

  /** To who delivers or is asked, or was last; empty exactly while it is IDLE. */
  private Optional<DeliveryLink> link = Optional.empty();

  /** What the present server calls this delivery, while it is ATTACHED. */
  private int handle;

  /** Bytes that the present server may still deliver; its last delivery may make them negative. */
  private long creditThere;

  /** When it became ATTACHED last. */
  private long attachedNanos;

  /**
   * Delivers to {@code taker} what is said under {@code epoch}.
   *
   * @param limit behind which nothing is wanted, if it is known
   * @param servedNanos after how long a server {@linkplain DeliveryTaker#served has served} that
   *     had nothing to deliver
   */
  public PartitionDelivery(
      DeliveryThread thread,
      DeliveryTaker taker,
      long epoch,
      Optional<Long> limit,
      long servedNanos) {
    this.thread = thread;
    this.taker = taker;
    this.epoch = epoch;
    this.limit = limit;
    this.limitThere = limit;
    this.servedNanos = servedNanos;
  }

  /** What it does now. */
  public DeliveryState state() {
    return state;
  }

  /** Behind which position nothing is wanted, if that is known. */
  public Optional<Long> limit() {
    return limit;
  }

  /** Who was asked last, if it was asked by its address. */
  public Optional<Endpoint> node() {
    return link.flatMap(DeliveryLink::node);
  }

  /** Asks that server to deliver. */
  public void attach(DeliveryLink server, Operation operation, Control request) {
    move(DeliveryState.ATTACHING, operation);
    attempts++;
    long attempt = attempts;
    link = Optional.of(server);
    limitThere = limit;
    grantThere = grant;
    server.join(this);
    var unused =
        server
            .request(operation, Json.encode(request))
            .whenComplete(
                (answer, failure) ->
                    thread.guarded(() -> answered(attempt, server, answer, failure)));
  }

  private void answered(long attempt, DeliveryLink server, Frame answer, Throwable failure) {
    boolean isWanted = attempt == attempts && state == DeliveryState.ATTACHING;
    Optional<Attached> attached;
    try {
      attached =
          Optional.ofNullable(answer).map(frame -> Json.decode(frame.payload(), Attached.class));
    } catch (MalformedException e) {
      ConnectionException unread =
          new ConnectionException("a server said what cannot be read", false, e);
      server.lost(unread);
      if (isWanted) {
        failed(unread);
      }
      return;
    }
    if (isWanted && attached.isPresent() && !server.isClosed()) {
      attached(server, attached.get().handle());
      taker.attached(attached.get().incarnation());
      return;
    }
    attached.ifPresent(late -> server.detach(late.handle(), epoch));
    if (isWanted) {
      failed(
          failure == null
              ? new ConnectionException("the connection was lost with the answer", true, null)
              : Caller.unwrap(failure));
    }
  }

  /** That server delivers under that handle; without having been asked, if it is the first. */
  public void attached(DeliveryLink server, int there) {
    move(DeliveryState.ATTACHED, there);
    link = Optional.of(server);
    handle = there;
    creditThere = 0;
    attachedNanos = thread.nowNanos();
    server.attach(there, this);
    tellGrant();
    tellLimit();
  }

  /**
   * Lets the server deliver as much as the taker has left. Does nothing unless it is ATTACHED.
   *
   * @param left credit of the taker, in bytes; what the server was given and has not used included
   * @param least bytes that are worth a frame, unless the server has none left
   */
  public void giveCredit(long left, long least) {
    long missing = left - creditThere;
    boolean isWorthIt = missing >= least || creditThere <= 0;
    if (state == DeliveryState.ATTACHED && missing > 0 && isWorthIt) {
      int bytes = (int) Math.min(missing, Integer.MAX_VALUE);
      creditThere += bytes;
      push(Operation.CREDIT, new Credit(handle, epoch, bytes).encode());
    }
  }

  /** The newest grant of the channel; empty for a reader without a tunnel. */
  public Optional<Bytes> grant() {
    return grant;
  }

  /** The channel has a newer grant; the present server and every later one is told. */
  public void renew(Bytes newest) {
    grant = Optional.of(newest);
    tellGrant();
  }

  private void tellGrant() {
    if (state == DeliveryState.ATTACHED && !grant.equals(grantThere)) {
      grantThere = grant;
      push(Operation.RENEW, new Renewal(handle, epoch, grant.orElseThrow()).encode());
    }
  }

  /** Nothing behind that position is wanted; this and every later server is told. */
  public void limitTo(long position) {
    limit = Optional.of(position);
    tellLimit();
  }

  private void tellLimit() {
    if (state == DeliveryState.ATTACHED && !limit.equals(limitThere)) {
      limitThere = limit;
      push(Operation.LIMIT, new ChannelEnd(handle, epoch, limit.orElseThrow()).encode());
    }
  }

  private void push(Operation operation, byte[] payload) {
    link.orElseThrow().push(operation, payload);
  }

  void delivered(byte[] payload) {
    creditThere -= payload.length;
    taker.delivered(payload);
  }

  void settled(ChannelEnd upTo) {
    if (upTo.epoch() == epoch) {
      taker.settled(upTo.position());
    }
  }

  void ended(ChannelEnd said) {
    if (said.epoch() == epoch) {
      taker.ended(said.position());
    }
  }

  /** Nothing more is said by the present server. */
  void failed(Throwable reason) {
    if (state == DeliveryState.ENDED) {
      return;
    }
    if (state == DeliveryState.ATTACHED && thread.nowNanos() - attachedNanos >= servedNanos) {
      taker.served();
    }
    move(DeliveryState.PAUSING, reason);
    link.orElseThrow().leave(this);
    taker.failed(reason);
  }

  /** Nothing more is wanted; a server that was asked and delivers is told. Idempotent. */
  public void end() {
    if (state == DeliveryState.ENDED) {
      return;
    }
    if (state == DeliveryState.ATTACHED && attempts > 0) {
      link.orElseThrow().detach(handle, epoch);
    }
    move(DeliveryState.ENDED, "nothing more is wanted");
    link.ifPresent(server -> server.leave(this));
  }

  /** Whether waiting may cure it: the server says so, or its connection is lost. */
  public static boolean mayPass(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.retriable()
        : reason instanceof ConnectionException;
  }

  private void move(DeliveryState next, Object reason) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "a delivery that is " + state + " cannot be " + next + ": " + reason);
    }
    state = next;
  }
}
