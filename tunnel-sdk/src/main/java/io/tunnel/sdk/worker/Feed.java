package io.tunnel.sdk.worker;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryState;
import io.tunnel.sdk.delivery.PartitionDelivery;
import io.tunnel.sdk.worker.channel.ChannelState;
import io.tunnel.sdk.worker.channel.Ending;
import io.tunnel.sdk.worker.channel.WorkerChannelCore;
import io.tunnel.sdk.worker.input.RowKeys;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Where the deliveries of one channel come from. The feed asks the leader of the partition that the
 * assignment or a server named last; without a name it asks the server of the session, which knows
 * the leader. The feed follows the first redirection at once, and pauses before it follows the next
 * one.
 *
 * <p>Runs on the worker's thread.
 */
final class Feed {

  /** Refusals of a node that has not learned of a tunnel, an access key or a permission yet. */
  private static final Set<ErrorCode> UNKNOWN_YET =
      EnumSet.of(
          ErrorCode.TUNNEL_NOT_FOUND,
          ErrorCode.TABLE_NOT_FOUND,
          ErrorCode.CHANNEL_NOT_FOUND,
          ErrorCode.WRONG_PARTITION,
          ErrorCode.NOT_AUTHENTICATED,
          ErrorCode.NOT_PERMITTED);

  /** An attached server counts as the leader after this time, even without a delivery. */
  private static final long SERVED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ChannelRunner channel;
  private final WorkerChannelCore core;
  private final RowKeys keys;
  private final Assignment assignment;
  private final WorkerSession session;
  private final WorkerRuntime runtime;
  private final PartitionDelivery delivery;

  /** Incarnation of the changes up to the last received position, if known. */
  private Optional<Long> incarnation;

  /** The server to ask next; empty for the server of the session. */
  private Optional<Endpoint> next;

  /** True after the feed followed a redirection, until a server serves or a pause is over. */
  private boolean hasFollowed;

  /** A delivery to {@code channel}, which passes what happens to the delivery on to this feed. */
  Feed(
      ChannelRunner channel,
      WorkerChannelCore core,
      RowKeys keys,
      WorkerSession session,
      WorkerRuntime runtime) {
    this.channel = channel;
    this.core = core;
    this.keys = keys;
    this.assignment = channel.assignment();
    this.session = session;
    this.runtime = runtime;
    this.delivery =
        new PartitionDelivery(
            session.links(), channel, assignment.epoch(), assignment.end(), SERVED_NANOS);
    delivery.renew(assignment.grant());
    this.incarnation = assignment.incarnation();
    this.next = Endpoint.told(assignment.leader());
  }

  /** The channel has more credit: starts the delivery, or raises the credit of the server. */
  void granted() {
    if (delivery.state() != DeliveryState.IDLE) {
      giveCredit();
    } else {
      attach();
    }
  }

  private void giveCredit() {
    delivery.giveCredit(core.creditLeft(), 1);
  }

  /** The session has got a newer grant of the channel. */
  void renewed(Bytes grant) {
    delivery.renew(grant);
  }

  /** The channel ends at {@code position}. */
  void limit(long position) {
    delivery.limitTo(position);
  }

  private void attach() {
    DeliveryLink server = next.map(session.links()::to).orElseGet(session::own);
    next = Optional.empty();
    Attach request =
        new Attach(
            runtime.settings().tunnelId(),
            assignment.channelId(),
            assignment.partition(),
            assignment.type(),
            assignment.epoch(),
            core.received(),
            keys.received(),
            delivery.limit(),
            assignment.endMs(),
            delivery.grant().orElseThrow(),
            incarnation);
    delivery.attach(server, Operation.ATTACH, request);
  }

  private boolean isRunning() {
    return core.state() == ChannelState.RUNNING;
  }

  /** A server is ready to deliver changes of this incarnation. */
  void attached(Optional<Long> there) {
    incarnation = there;
    keys.seenIn(there);
    if (isRunning()) { // Otherwise the channel may have been given back meanwhile.
      giveCredit();
    }
  }

  /** The server works. */
  void served() {
    hasFollowed = false;
  }

  /** The deliveries end at {@code position}. */
  void ended(long position) {
    if (assignment.type() == ChannelType.BaseData) {
      // The server of the session does not know the number of rows, and so the end.
      ChannelEnd end = new ChannelEnd(assignment.handle(), assignment.epoch(), position);
      session.link().push(Operation.LIMIT, end.encode());
    }
    end();
  }

  /** The server has refused, or is lost: asks the next one, or ends the channel. */
  void failed(Throwable reason) {
    if (mayPass(reason)) {
      askNext(reason);
    } else if (reason instanceof RefusedException refused) {
      end();
      if (refused.code() == ErrorCode.FENCED) {
        channel.end(Ending.FENCED);
      } else {
        channel.stop(reason);
      }
    } else {
      // Neither a server nor a connection failed: this is a bug of the worker.
      runtime.broken().accept(reason);
    }
  }

  private void askNext(Throwable reason) {
    next = PartitionDelivery.leaderIn(reason);
    next.ifPresent(runtime.ports().links()::learn);
    boolean follows = next.isPresent() && !next.equals(delivery.node()) && !hasFollowed;
    if (!isRunning()) {
      end();
    } else if (follows) {
      hasFollowed = true;
      attach();
    } else {
      if (delivery.failures() == 0) {
        channel.troubled("no server delivers; will retry", reason);
      }
      delivery.pause(reason);
    }
  }

  /**
   * True when a retry may help. A node may learn of a tunnel, a key or a permission later than the
   * server of the session; if the tunnel or the permission is really gone, the session ends.
   * Stopping the channel would stop it for all workers, because of the permissions of one worker.
   */
  private static boolean mayPass(Throwable reason) {
    return PartitionDelivery.mayPass(reason)
        || (reason instanceof RefusedException refused && UNKNOWN_YET.contains(refused.code()));
  }

  /** The pause after a failure is over. */
  void pauseOver() {
    hasFollowed = false;
    if (isRunning()) {
      attach();
    } else {
      end();
    }
  }

  /** Ends the delivery. Idempotent. */
  void end() {
    delivery.end();
  }
}
