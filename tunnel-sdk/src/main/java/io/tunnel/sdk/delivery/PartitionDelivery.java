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
 * The delivery of one partition, from one server at a time: the leader of the partition, and after
 * a change of leader the next one. The {@link DeliveryTaker} chooses the server, and asks each
 * server for the changes behind the last received position. Late pushes of former servers are
 * dropped. So a change of server causes neither duplicates nor gaps.
 *
 * <p>Credit belongs to the taker. A server gets the credit that the taker has left. The next server
 * gets the same credit again, because the former server can no longer use its rest.
 *
 * <p>Runs on the thread of its worker or reader.
 */
public final class PartitionDelivery {

  private final DeliveryLinks links;
  private final DeliveryThread thread;
  private final DeliveryTaker taker;
  private final long epoch;
  private final long servedNanos;
  private DeliveryState state = DeliveryState.IDLE;

  /** Number of attach requests; only the answer to the last request counts, in ATTACHING. */
  private long attempts;

  /** The taker wants no change behind this position; empty while no limit is known. */
  private Optional<Long> limit;

  /** The {@link #limit} that the current server knows. */
  private Optional<Long> limitThere;

  /** The newest grant of the channel; empty for readers. */
  private Optional<Bytes> grant = Optional.empty();

  /** The {@link #grant} that the current server knows. */
  private Optional<Bytes> grantThere = Optional.empty();

  /** Connection to the current or last server; empty exactly in IDLE. */
  private Optional<DeliveryLink> link = Optional.empty();

  /** Handle of this delivery at the current server; valid in ATTACHED. */
  private int handle;

  /** Unused credit of the current server, in bytes; the last delivery may make it negative. */
  private long creditThere;

  /** Time of the last move to ATTACHED. */
  private long attachedNanos;

  /** Pauses since a server last served; grows by one with each {@link #pause}. */
  private int failures;

  /**
   * A delivery to {@code taker} that accepts pushes with this {@code epoch}.
   *
   * @param links connections to the servers
   * @param limit last position that the taker wants, if known
   * @param servedNanos time after which an attached server counts as {@linkplain
   *     DeliveryTaker#served working}, even if it had nothing to deliver
   */
  public PartitionDelivery(
      DeliveryLinks links,
      DeliveryTaker taker,
      long epoch,
      Optional<Long> limit,
      long servedNanos) {
    this.links = links;
    this.thread = links.thread();
    this.taker = taker;
    this.epoch = epoch;
    this.limit = limit;
    this.limitThere = limit;
    this.servedNanos = servedNanos;
  }

  /** The current state. */
  public DeliveryState state() {
    return state;
  }

  /** The last position that the taker wants, if known. */
  public Optional<Long> limit() {
    return limit;
  }

  /** The server that was asked last; empty when the session's own connection was used. */
  public Optional<Endpoint> node() {
    return link.flatMap(DeliveryLink::node);
  }

  /** Asks {@code server} to deliver. */
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
          new ConnectionException("the server sent a malformed answer", false, e);
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

  /** {@code server} delivers under the handle {@code there}; in IDLE without an attach request. */
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
   * Raises the credit of the current server to {@code left}. Does nothing outside ATTACHED.
   *
   * @param left credit of the taker in bytes, including the unused credit of the server
   * @param least smallest raise in bytes that is worth a frame, unless the server has no credit
   *     left
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

  /** The newest grant of the channel; empty for readers. */
  public Optional<Bytes> grant() {
    return grant;
  }

  /** Stores a newer grant of the channel, and sends it to the current server. */
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

  /** The taker wants no change behind {@code position}; tells the current server. */
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
    served();
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

  private void served() {
    failures = 0;
    taker.served();
  }

  /** The current server delivers no more. */
  void failed(Throwable reason) {
    if (state == DeliveryState.ENDED) {
      return;
    }
    if (state == DeliveryState.ATTACHED && thread.nowNanos() - attachedNanos >= servedNanos) {
      served();
    }
    move(DeliveryState.PAUSING, reason);
    link.orElseThrow().leave(this);
    taker.failed(reason);
  }

  /** Pauses since a server last served. */
  public int failures() {
    return failures;
  }

  /**
   * Waits before the next server is asked; each further failure in a row lengthens the pause.
   *
   * @param reason the last failure
   */
  public void pause(Throwable reason) {
    failures++;
    links.pause(this, failures, reason);
  }

  void pauseOver() {
    if (state == DeliveryState.PAUSING) {
      taker.pauseOver();
    }
  }

  /** Ends the delivery, and detaches from an attached server. Idempotent. */
  public void end() {
    if (state == DeliveryState.ENDED) {
      return;
    }
    if (state == DeliveryState.ATTACHED && attempts > 0) {
      link.orElseThrow().detach(handle, epoch);
    }
    move(DeliveryState.ENDED, "the taker wants no more");
    link.ifPresent(server -> server.leave(this));
  }

  /** True when a retry may help: the server says so, or its connection is lost. */
  public static boolean mayPass(Throwable reason) {
    return reason instanceof RefusedException refused
        ? refused.retriable()
        : reason instanceof ConnectionException;
  }

  /** The server that a refusal names as the right one, if {@code reason} is such a refusal. */
  public static Optional<Endpoint> leaderIn(Throwable reason) {
    return reason instanceof RefusedException refused
        ? Endpoint.told(refused.leader())
        : Optional.empty();
  }

  private void move(DeliveryState next, Object reason) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "a delivery in " + state + " cannot move to " + next + ": " + reason);
    }
    state = next;
  }
}
