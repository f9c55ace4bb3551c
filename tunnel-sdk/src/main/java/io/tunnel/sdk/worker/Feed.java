package io.tunnel.sdk.worker;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryReceiver;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ClusterControl.Attach;
import io.tunnel.wire.ClusterControl.Attached;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.SessionControl.Assignment;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Where one channel's deliveries come from: the server of its partition, and another one when the
 * partition has another leader. That is the server of the session, or one that this or a former one
 * has named. Each attachment begins behind what the channel has received by then, and what the
 * former one still says is dropped, so a move costs neither duplicates nor gaps.
 *
 * <p>Credit belongs to the channel. A node is given what the channel has left of it, and a new node
 * the same again, because what was left at the former one will never be used.
 *
 * <p>On the worker's thread.
 */
final class Feed implements DeliveryReceiver {

  /** What a node says that has not heard of a tunnel yet. */
  private static final Set<ErrorCode> UNKNOWN_YET =
      EnumSet.of(
          ErrorCode.TUNNEL_NOT_FOUND,
          ErrorCode.TABLE_NOT_FOUND,
          ErrorCode.CHANNEL_NOT_FOUND,
          ErrorCode.WRONG_PARTITION);

  /** A leader that has lasted so long was one: what went wrong before it is forgotten. */
  private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ChannelRunner channel;
  private final Assignment assignment;
  private final ChannelPort session;
  private final Feeds feeds;
  private final WorkerRuntime runtime;
  private FeedState state = FeedState.IDLE;
  private Optional<Long> end;

  /** Of everything up to what the channel has received, if it is known. */
  private Optional<Long> incarnation;

  /** Where to attach next; without one the server of the session is asked, and knows. */
  private Optional<Endpoint> told;

  // Of the present attachment, or the attempt at one.
  private Optional<Endpoint> node = Optional.empty();
  private Optional<DeliveryLink> link = Optional.empty();
  private Optional<Long> endThere = Optional.empty();
  private int handle;
  private long creditThere;
  private long attachedNanos;
  private long attempts;

  private int failures;

  /** Whether the last word of a node to go elsewhere was followed, and waits to be. */
  private boolean wasSentOn;

  private boolean isTroubled;

  Feed(ChannelRunner channel, ChannelPort session, Feeds feeds, WorkerRuntime runtime) {
    this.channel = channel;
    this.assignment = channel.assignment();
    this.session = session;
    this.feeds = feeds;
    this.runtime = runtime;
    this.end = assignment.end();
    this.incarnation = assignment.incarnation();
    this.told = Endpoint.told(assignment.leader());
  }

  /** The channel has more credit. */
  void granted() {
    if (state == FeedState.IDLE && !assignment.isAttached()) {
      takeUnasked();
    } else if (state == FeedState.IDLE) {
      attach();
    } else if (state == FeedState.ATTACHED) {
      giveCredit();
    }
  }

  /** A server of the first release delivers by itself, under the name of the assignment. */
  private void takeUnasked() {
    move(FeedState.ATTACHING, "the server delivers by itself");
    link = Optional.of(feeds.own());
    attached(assignment.handle());
  }

  private void giveCredit() {
    long missing = channel.creditLeft() - creditThere;
    if (missing > 0) {
      int bytes = (int) Math.min(missing, Integer.MAX_VALUE);
      creditThere += bytes;
      push(Operation.CREDIT, new Credit(handle, assignment.epoch(), bytes).encode());
    }
  }

  private void push(Operation operation, byte[] payload) {
    link.orElseThrow().push(operation, payload);
  }

  /** The channel ends there. */
  void limit(long position) {
    end = Optional.of(position);
    if (state == FeedState.ATTACHED) {
      tellEnd();
    }
  }

  private void tellEnd() {
    if (!end.equals(endThere)) {
      endThere = end;
      push(Operation.LIMIT, new ChannelEnd(handle, assignment.epoch(), end.orElseThrow()).encode());
    }
  }

  private void attach() {
    move(FeedState.ATTACHING, told);
    node = told;
    told = Optional.empty();
    DeliveryLink shared = node.isPresent() ? feeds.linkTo(node.get()) : feeds.own();
    link = Optional.of(shared);
    attempts++;
    long attempt = attempts;
    endThere = end;
    byte[] request =
        Json.encode(
            new Attach(
                runtime.settings().tunnelId(),
                assignment.channelId(),
                assignment.partition(),
                assignment.type(),
                assignment.epoch(),
                channel.received(),
                channel.receivedKey(),
                end,
                assignment.endMs(),
                assignment.grant(),
                incarnation));
    shared.join(this);
    var unused =
        shared
            .request(Operation.ATTACH, request)
            .whenComplete(
                (answer, failure) ->
                    runtime.guarded(() -> answered(attempt, shared, answer, failure)));
  }

  private void answered(long attempt, DeliveryLink shared, Frame answer, Throwable failure) {
    if (failure != null) {
      if (attempt == attempts && state == FeedState.ATTACHING) {
        notAttached(Caller.unwrap(failure));
      }
      return;
    }
    Attached attached = Json.decode(answer.payload(), Attached.class);
    int there = attached.handle();
    if (attempt != attempts || state != FeedState.ATTACHING) {
      shared.detach(there, assignment.epoch());
      return;
    }
    incarnation = attached.incarnation();
    channel.seenIn(incarnation);
    attached(there);
  }

  private void attached(int there) {
    move(FeedState.ATTACHED, node);
    handle = there;
    creditThere = 0;
    attachedNanos = runtime.nowNanos();
    link.orElseThrow().attach(there, this);
    tellEnd();
    giveCredit();
  }

  /** What no server and no connection has said is a mistake of this worker. */
  private void notAttached(Throwable reason) {
    if (reason instanceof RefusedException || reason instanceof ConnectionException) {
      failed(reason);
    } else {
      runtime.broken().accept(reason);
    }
  }

  @Override
  public void delivered(byte[] payload) {
    creditThere -= payload.length;
    calm();
    channel.delivered(payload);
  }

  private void calm() {
    failures = 0;
    wasSentOn = false;
    isTroubled = false;
  }

  @Override
  public void settled(ChannelEnd said) {
    if (said.epoch() == assignment.epoch()) {
      channel.settled(said.position());
    }
  }

  @Override
  public void ended(ChannelEnd said) {
    if (said.epoch() != assignment.epoch()) {
      return;
    }
    if (assignment.type() == ChannelType.BaseData) {
      // The session cannot know how many rows there are.
      byte[] payload =
          new ChannelEnd(assignment.handle(), assignment.epoch(), said.position()).encode();
      session.push(Operation.LIMIT, payload);
    }
    end();
    channel.endsAt(said.position());
  }

  /** The node does not deliver, or not any more. */
  @Override
  public void failed(Throwable reason) {
    Optional<Endpoint> former = node;
    if (state == FeedState.ATTACHED && runtime.nowNanos() - attachedNanos >= STABLE_NANOS) {
      calm();
    }
    leave();
    if (reason instanceof RefusedException refused && refused.code() == ErrorCode.FENCED) {
      end();
      channel.end(Ending.FENCED);
    } else if (!mayPass(reason)) {
      end();
      channel.stop(reason);
    } else {
      goOn(reason, former);
    }
  }

  private void goOn(Throwable reason, Optional<Endpoint> former) {
    told =
        reason instanceof RefusedException refused
            ? Endpoint.told(refused.leader())
            : Optional.empty();
    told.ifPresent(runtime.ports().links()::learn);
    boolean follows = told.isPresent() && !told.equals(former) && !wasSentOn;
    if (follows && channel.isRunning()) {
      wasSentOn = true;
      attach();
    } else {
      pause(reason);
    }
  }

  /**
   * Whether waiting may cure it. A node may hear of a tunnel later than the session has; when the
   * tunnel is really gone, the session ends.
   */
  private static boolean mayPass(Throwable reason) {
    if (reason instanceof RefusedException refused) {
      return refused.retriable() || UNKNOWN_YET.contains(refused.code());
    }
    return reason instanceof ConnectionException;
  }

  private void pause(Throwable reason) {
    if (!channel.isRunning()) {
      end();
      return;
    }
    failures++;
    if (!isTroubled) {
      isTroubled = true;
      session.troubled(assignment.channelId(), reason);
    }
    move(FeedState.PAUSING, reason);
    feeds.pause(this, failures);
  }

  /** It may try again. */
  void pauseOver() {
    if (state != FeedState.PAUSING) {
      return;
    }
    wasSentOn = false;
    if (channel.isRunning()) {
      attach();
    } else {
      end();
    }
  }

  private void leave() {
    link.ifPresent(shared -> shared.leave(this));
    link = Optional.empty();
    node = Optional.empty();
  }

  /** Nothing more is wanted. Idempotent. */
  void end() {
    if (state == FeedState.ENDED) {
      return;
    }
    if (state == FeedState.ATTACHED && link.isPresent() && assignment.isAttached()) {
      link.get().detach(handle, assignment.epoch());
    }
    move(FeedState.ENDED, "the channel is over");
    leave();
  }

  private void move(FeedState next, Object reason) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "a feed that is " + state + " cannot be " + next + ": " + reason);
    }
    state = next;
  }
}
