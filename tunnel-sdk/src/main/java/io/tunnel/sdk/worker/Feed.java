package io.tunnel.sdk.worker;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryState;
import io.tunnel.sdk.delivery.DeliveryTaker;
import io.tunnel.sdk.delivery.PartitionDelivery;
import io.tunnel.sdk.worker.channel.Ending;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Where one channel's deliveries come from: the server of its partition, which is the server of the
 * session or one that this or a former one has named. A server that names another is left for that
 * at once, but only once: then there is a pause before the next is asked.
 *
 * <p>On the worker's thread.
 */
final class Feed implements DeliveryTaker {

  /** What a node says that has not heard of a tunnel yet, or of a key, or of a right. */
  private static final Set<ErrorCode> UNKNOWN_YET =
      EnumSet.of(
          ErrorCode.TUNNEL_NOT_FOUND,
          ErrorCode.TABLE_NOT_FOUND,
          ErrorCode.CHANNEL_NOT_FOUND,
          ErrorCode.WRONG_PARTITION,
          ErrorCode.NOT_AUTHENTICATED,
          ErrorCode.NOT_PERMITTED);

  /** A leader that has lasted so long was one, also if there was nothing to deliver. */
  private static final long SERVED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ChannelRunner channel;
  private final Assignment assignment;
  private final ChannelPort session;
  private final Feeds feeds;
  private final WorkerRuntime runtime;
  private final PartitionDelivery delivery;

  /** Of everything up to what the channel has received, if it is known. */
  private Optional<Long> incarnation;

  /** Where to attach next; without one the server of the session is asked, and knows. */
  private Optional<Endpoint> told;

  /** Pauses since a server has served: the first of them is told. */
  private int failures;

  /** Whether the last word of a node to go elsewhere was followed, and waits to be. */
  private boolean wasSentOn;

  Feed(ChannelRunner channel, ChannelPort session, Feeds feeds, WorkerRuntime runtime) {
    this.channel = channel;
    this.assignment = channel.assignment();
    this.session = session;
    this.feeds = feeds;
    this.runtime = runtime;
    this.delivery =
        new PartitionDelivery(runtime, this, assignment.epoch(), assignment.end(), SERVED_NANOS);
    assignment.grant().ifPresent(delivery::renew);
    this.incarnation = assignment.incarnation();
    this.told = Endpoint.told(assignment.leader());
  }

  /** The channel has more credit. */
  void granted() {
    if (delivery.state() != DeliveryState.IDLE) {
      giveCredit();
    } else if (assignment.isAttached()) {
      attach();
    } else {
      // A server of the first release delivers by itself, under the name of the assignment.
      delivery.attached(feeds.own(), assignment.handle());
      giveCredit();
    }
  }

  private void giveCredit() {
    delivery.giveCredit(channel.creditLeft(), 1);
  }

  /** The session has a newer grant of the channel. */
  void renewed(Bytes grant) {
    delivery.renew(grant);
  }

  /** The channel ends there. */
  void limit(long position) {
    delivery.limitTo(position);
  }

  private void attach() {
    DeliveryLink server = told.map(feeds::linkTo).orElseGet(feeds::own);
    told = Optional.empty();
    Attach request =
        new Attach(
            runtime.settings().tunnelId(),
            assignment.channelId(),
            assignment.partition(),
            assignment.type(),
            assignment.epoch(),
            channel.received(),
            channel.receivedKey(),
            delivery.limit(),
            assignment.endMs(),
            delivery.grant(),
            incarnation);
    delivery.attach(server, Operation.ATTACH, request);
  }

  @Override
  public void attached(Optional<Long> there) {
    incarnation = there;
    channel.seenIn(there);
    giveCredit();
  }

  @Override
  public void served() {
    failures = 0;
    wasSentOn = false;
  }

  @Override
  public void delivered(byte[] payload) {
    served();
    channel.delivered(payload);
  }

  @Override
  public void settled(long position) {
    channel.settled(position);
  }

  @Override
  public void ended(long position) {
    if (assignment.type() == ChannelType.BaseData) {
      // The session cannot know how many rows there are.
      ChannelEnd end = new ChannelEnd(assignment.handle(), assignment.epoch(), position);
      session.push(Operation.LIMIT, end.encode());
    }
    end();
    channel.endsAt(position);
  }

  @Override
  public void failed(Throwable reason) {
    if (mayPass(reason)) {
      goOn(reason);
    } else if (reason instanceof RefusedException refused) {
      end();
      if (refused.code() == ErrorCode.FENCED) {
        channel.end(Ending.FENCED);
      } else {
        channel.stop(reason);
      }
    } else {
      // What no server and no connection has said is a mistake of this worker.
      runtime.broken().accept(reason);
    }
  }

  private void goOn(Throwable reason) {
    told =
        reason instanceof RefusedException refused
            ? Endpoint.told(refused.leader())
            : Optional.empty();
    told.ifPresent(runtime.ports().links()::learn);
    boolean follows = told.isPresent() && !told.equals(delivery.node()) && !wasSentOn;
    if (!channel.isRunning()) {
      end();
    } else if (follows) {
      wasSentOn = true;
      attach();
    } else {
      pause(reason);
    }
  }

  /**
   * Whether waiting may cure it. A node may hear of a tunnel, a key or a right later than the
   * session has; when it is really gone, or taken away, the session ends. To stop the channel would
   * stop it for all workers, because of who one of them is.
   */
  private static boolean mayPass(Throwable reason) {
    return PartitionDelivery.mayPass(reason)
        || (reason instanceof RefusedException refused && UNKNOWN_YET.contains(refused.code()));
  }

  private void pause(Throwable reason) {
    failures++;
    if (failures == 1) {
      session.troubled(assignment.channelId(), reason);
    }
    feeds.pause(this, failures);
  }

  /** It may try again. */
  void pauseOver() {
    if (delivery.state() != DeliveryState.PAUSING) {
      return;
    }
    wasSentOn = false;
    if (channel.isRunning()) {
      attach();
    } else {
      end();
    }
  }

  /** Nothing more is wanted. Idempotent. */
  void end() {
    delivery.end();
  }
}
