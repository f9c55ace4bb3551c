package io.tunnel.sdk.worker;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
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
 * Where one attached channel's deliveries come from: the node that leads its partition, and another
 * one when the leader changes. Each attachment begins behind what the channel has received by then,
 * and what the former one still says is dropped, so a move costs neither duplicates nor gaps.
 *
 * <p>Credit belongs to the channel. A node is given what the channel has left of it, and a new node
 * the same again, because what was left at the former one will never be used.
 *
 * <p>On the worker's thread.
 */
final class Feed {

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

  // Of the present attachment, or the attempt at one.
  private Optional<Endpoint> node = Optional.empty();
  private Optional<DataLink> link = Optional.empty();
  private Optional<Long> endThere = Optional.empty();
  private int handle;
  private long creditThere;
  private long attachedNanos;
  private long attempts;

  private int failures;

  /** Whether the last word of a node to go elsewhere was followed, and waits to be. */
  private boolean wasSentOn;

  private boolean isSentOn;
  private boolean isTroubled;

  Feed(ChannelRunner channel, ChannelPort session, Feeds feeds, WorkerRuntime runtime) {
    this.channel = channel;
    this.assignment = channel.assignment();
    this.session = session;
    this.feeds = feeds;
    this.runtime = runtime;
    this.end = assignment.end();
    this.incarnation = assignment.incarnation();
  }

  /** The channel has more credit. */
  void granted() {
    if (state == FeedState.IDLE) {
      seek();
    } else if (state == FeedState.ATTACHED) {
      giveCredit();
    }
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

  private void seek() {
    move(FeedState.SEEKING, "the channel has credit");
    var unused =
        feeds
            .leaders()
            .of(assignment.partition())
            .whenComplete((leader, failure) -> runtime.guarded(() -> found(leader, failure)));
  }

  private void found(Optional<Endpoint> leader, Throwable failure) {
    if (state != FeedState.SEEKING) {
      return;
    }
    if (failure != null) {
      pause(Caller.unwrap(failure), false);
    } else if (leader.isEmpty()) {
      String text = "no node leads partition " + assignment.partition() + " at the moment";
      pause(RefusedException.notLeader(text, Optional.empty()), false);
    } else {
      attach(leader.get());
    }
  }

  private void attach(Endpoint leader) {
    move(FeedState.ATTACHING, leader);
    node = Optional.of(leader);
    DataLink shared = feeds.linkTo(leader);
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
    var unused =
        shared
            .join(this)
            .thenCompose(open -> open.request(Operation.ATTACH, request))
            .whenComplete(
                (answer, failure) ->
                    runtime.guarded(() -> answered(attempt, shared, answer, failure)));
  }

  private void answered(long attempt, DataLink shared, Frame answer, Throwable failure) {
    if (failure != null) {
      if (attempt == attempts && state == FeedState.ATTACHING) {
        refused(Caller.unwrap(failure));
      }
      return;
    }
    Attached attached = Json.decode(answer.payload(), Attached.class);
    int there = attached.handle();
    if (attempt != attempts || state != FeedState.ATTACHING) {
      shared.tell(Operation.DETACH, new ChannelRef(there, assignment.epoch()).encode());
      return;
    }
    move(FeedState.ATTACHED, node);
    incarnation = attached.incarnation();
    channel.seenIn(incarnation);
    handle = there;
    creditThere = 0;
    attachedNanos = runtime.nowNanos();
    shared.attach(there, this);
    tellEnd();
    giveCredit();
  }

  /** Something was delivered. */
  void delivered(byte[] payload) {
    creditThere -= payload.length;
    calm();
    channel.delivered(payload);
  }

  private void calm() {
    failures = 0;
    wasSentOn = false;
    isTroubled = false;
  }

  /** No change follows what was delivered, up to there. */
  void settled(ChannelEnd said) {
    if (said.epoch() == assignment.epoch()) {
      channel.settled(said.position());
    }
  }

  /** Nothing comes behind that. */
  void ended(ChannelEnd said) {
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

  /** The channel belongs to a newer holder. */
  void fenced(long epoch) {
    if (epoch == assignment.epoch()) {
      end();
      channel.end(Ending.FENCED);
    }
  }

  /** The connection is gone. Where it was being asked for, the request has failed already. */
  void lost(ConnectionException reason) {
    if (state == FeedState.ATTACHED) {
      refused(reason);
    }
  }

  /** The node does not deliver, or not any more. */
  void refused(Throwable reason) {
    Endpoint former = node.orElseThrow();
    if (state == FeedState.ATTACHED && runtime.nowNanos() - attachedNanos >= STABLE_NANOS) {
      calm();
    }
    leave();
    if (reason instanceof RefusedException refused && refused.code() == ErrorCode.FENCED) {
      fenced(assignment.epoch());
    } else if (!mayPass(reason)) {
      end();
      channel.stop(reason);
    } else {
      feeds.leaders().forget(assignment.partition(), former);
      goOn(reason, former);
    }
  }

  private void goOn(Throwable reason, Endpoint former) {
    Optional<Endpoint> leader =
        reason instanceof RefusedException refused
            ? Endpoint.told(refused.leader())
            : Optional.empty();
    leader.ifPresent(next -> feeds.leaders().learn(assignment.partition(), next));
    boolean follows = leader.isPresent() && !leader.get().equals(former) && !wasSentOn;
    if (follows && channel.isRunning()) {
      wasSentOn = true;
      attach(leader.get());
    } else {
      pause(reason, leader.isPresent());
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

  private void pause(Throwable reason, boolean isToldWhere) {
    isSentOn = isToldWhere;
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
      if (!isSentOn) {
        // What others have read meanwhile may be older than this channel's failure.
        feeds.leaders().forget(assignment.partition());
      }
      seek();
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
    if (state == FeedState.ATTACHED && link.isPresent()) {
      link.get().tell(Operation.DETACH, new ChannelRef(handle, assignment.epoch()).encode());
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
