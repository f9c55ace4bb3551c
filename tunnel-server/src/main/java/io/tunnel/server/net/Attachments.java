package io.tunnel.server.net;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.changes.Freshness;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.wire.control.ClusterControl.Attach;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * The channels that this server delivers because it serves their partitions, for sessions that live
 * here or on another node. Each is delivered for the highest epoch that was seen here, on one
 * connection.
 *
 * <p>An epoch counts for what it says only with a grant. Without one, as workers of older versions
 * ask, a channel is delivered as long as nobody with a grant is there: a client with a made-up
 * epoch keeps no holder of the channel away.
 *
 * <p>Its monitor guards which attachments there are; nothing is called under it.
 */
public final class Attachments {

  /** Channels that one connection may be attached to. */
  static final int OF_CONNECTION_MAX = 4_096;

  private final ClusterView view;
  private final PartitionHosts hosts;
  private final Delivered delivered;
  private final Handles handles;
  private final ChannelGrants grants;
  private final Map<String, Attachment> attachmentByChannel = new HashMap<>();
  private final FormerEpochs former = new FormerEpochs();

  /**
   * What is delivered here.
   *
   * @param positions what the positions mean that holders of channels come with
   * @param freshness waits until everything is there that the log had
   */
  public record Delivered(Channels channels, Readings.Positions positions, Freshness freshness) {}

  /**
   * Delivers what there is of the partitions that this server serves.
   *
   * @param hosts refuses the others, and says who leads them
   * @param grants say which requests are of the session that holds a channel
   */
  public Attachments(
      ClusterView view,
      PartitionHosts hosts,
      Delivered delivered,
      Handles handles,
      ChannelGrants grants) {
    this.view = view;
    this.hosts = hosts;
    this.delivered = delivered;
    this.handles = handles;
    this.grants = grants;
  }

  /** Attaches; on the connection's event loop. */
  void attach(Attach request, Connection connection, Attachment.Answer answer) {
    attach(request, handles.next(), connection, answer);
  }

  /** Attaches under a name that the server has given. */
  void attach(Attach request, int handle, Connection connection, Attachment.Answer answer) {
    if (connection.attachmentCount() >= OF_CONNECTION_MAX) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "a connection is attached to " + OF_CONNECTION_MAX + " channels at most; detach some");
    }
    hosts.of(request.partition());
    boolean isGranted = isGranted(request);
    Attachment attachment = new Attachment(request, isGranted, handle, connection, answer);
    Optional<Attachment> replaced = admit(attachment);
    connection.add(attachment);
    replaced.ifPresent(one -> takeLater(one, replaced(one.request(), request.epoch())));
    try {
      // Again: it may have been lost before it could be known here who is attached.
      hosts.of(request.partition());
    } catch (RefusedException e) {
      attachment.take(e);
      return;
    }
    if (isPresent(request)) {
      open(attachment);
    } else {
      delivered
          .freshness()
          .whenFresh(
              request.partition(),
              failure -> connection.execute(() -> caughtUp(attachment, failure)));
    }
  }

  /**
   * Changes that are certainly behind those that were processed; rows have to be fresh, and nobody
   * is refused for changes that are only not read yet.
   */
  private boolean isPresent(Attach request) {
    return request.type() == ChannelType.Stream
        && request
            .known()
            .filter(known -> !delivered.positions().has(request.partition(), known))
            .isEmpty();
  }

  /** A node that has not read the key yet takes nobody for granted, and refuses nobody. */
  private boolean isGranted(Attach request) {
    if (request.grant().isEmpty() || !grants.areGiven()) {
      return false;
    }
    if (!grants.isOf(
        request.channelId(), request.partition(), request.epoch(), request.grant().get())) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "the grant is not that of channel "
              + request.channelId()
              + " of partition "
              + request.partition()
              + " under epoch "
              + request.epoch());
    }
    return true;
  }

  /**
   * Takes the place of the one that is attached with a lower epoch, or the same; with a grant, also
   * of one without, whatever its epoch.
   */
  private synchronized Optional<Attachment> admit(Attachment attachment) {
    Attach request = attachment.request();
    Attachment current = attachmentByChannel.get(request.channelId());
    long newest = newest(attachment, Optional.ofNullable(current));
    if (request.epoch() < newest) {
      throw fenced(request, newest);
    }
    if (current != null && current.isGranted() && !attachment.isGranted()) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "channel "
              + request.channelId()
              + " is delivered to a worker whose server has granted it; try again later");
    }
    former.came(request.channelId(), attachment.isGranted());
    attachmentByChannel.put(request.channelId(), attachment);
    return Optional.ofNullable(current);
  }

  /** The highest epoch that counts for this one. */
  private long newest(Attachment attachment, Optional<Attachment> current) {
    if (current.isEmpty()) {
      return former.of(attachment.request().channelId(), attachment.isGranted());
    }
    boolean counts = current.get().isGranted() || !attachment.isGranted();
    return counts ? current.get().request().epoch() : 0;
  }

  /**
   * With the same epoch it was the same worker, whose requests on two connections may come in
   * another order than they were made: if the one that it waits on no more comes last, it has to
   * attach again, and must not take itself for fenced.
   */
  private static RefusedException replaced(Attach former, long epoch) {
    return former.epoch() != epoch
        ? fenced(former, epoch)
        : new RefusedException(
            ErrorCode.BUSY,
            "channel " + former.channelId() + " was attached to once more under epoch " + epoch);
  }

  private static RefusedException fenced(Attach request, long newest) {
    return new RefusedException(
        ErrorCode.FENCED,
        "channel "
            + request.channelId()
            + " was attached to under epoch "
            + newest
            + ", and is delivered under epoch "
            + request.epoch()
            + " no more");
  }

  private static void takeLater(Attachment attachment, RefusedException reason) {
    attachment.connection().execute(() -> attachment.take(reason));
  }

  /** What is served must hold everything that the log held when it was asked for. */
  private void caughtUp(Attachment attachment, Optional<RefusedException> failure) {
    if (!attachment.isWaiting()) {
      return;
    }
    try {
      failure.ifPresent(
          reason -> {
            throw reason;
          });
      hosts.of(attachment.request().partition());
      requireShared(attachment.request());
    } catch (RefusedException e) {
      attachment.take(e);
      return;
    }
    open(attachment);
  }

  private void requireShared(Attach request) {
    request
        .known()
        .flatMap(known -> delivered.positions().replaced(request.partition(), known))
        .ifPresent(
            reason -> {
              throw reason;
            });
  }

  private void open(Attachment attachment) {
    Attach request = attachment.request();
    Channel.Start start =
        new Channel.Start(
            attachment.handle(), request.epoch(), request.partition(), request.position());
    if (request.type() == ChannelType.BaseData) {
      attachment.open(
          delivered
              .channels()
              .base(request.tunnelId(), start, request.key(), attachment.connection()));
      return;
    }
    IncarnatedPort port = delivered.positions().port(request.partition(), attachment.connection());
    attachment.open(
        delivered.channels().stream(start, end(request), request.endMs(), port), port.told());
  }

  private static OptionalLong end(Attach request) {
    return request.end().isPresent() ? OptionalLong.of(request.end().get()) : OptionalLong.empty();
  }

  /** Nobody is attached by that any more; its epoch is remembered. */
  synchronized void gone(Attachment attachment) {
    Attach request = attachment.request();
    if (attachmentByChannel.remove(request.channelId(), attachment)) {
      former.left(
          request.channelId(), request.partition(), request.epoch(), attachment.isGranted());
    }
  }

  /**
   * This node does not lead a partition any more: nothing of it is delivered from here on, and its
   * workers are told who leads it, if that is known. Its host must refuse before this is called.
   */
  public void lost(int partition) {
    lost(partition, view.notLeader(partition, "partition " + partition));
  }

  /** As {@link #lost(int)}, for another reason. */
  public void lost(int partition, RefusedException reason) {
    take(partition).forEach(attachment -> takeLater(attachment, reason));
    delivered.freshness().giveUp(partition, reason);
  }

  private synchronized List<Attachment> take(int partition) {
    List<Attachment> taken = new ArrayList<>();
    attachmentByChannel
        .values()
        .removeIf(
            attachment -> {
              boolean isOfPartition = attachment.request().partition() == partition;
              if (isOfPartition) {
                taken.add(attachment);
              }
              return isOfPartition;
            });
    former.forget(partition);
    return taken;
  }

  /** Position of the last change of a channel that was delivered on that connection. */
  synchronized OptionalLong delivered(String channelId, long epoch, Connection connection) {
    Attachment attachment = attachmentByChannel.get(channelId);
    return attachment != null
            && attachment.connection() == connection
            && attachment.request().epoch() == epoch
        ? OptionalLong.of(attachment.delivered())
        : OptionalLong.empty();
  }

  /** Partitions with channels that are attached to, or are about to be. */
  public synchronized Set<Integer> partitions() {
    Set<Integer> partitions = new TreeSet<>();
    attachmentByChannel.values().forEach(one -> partitions.add(one.request().partition()));
    return partitions;
  }

  /** How many channels are attached to. */
  public synchronized int count() {
    return attachmentByChannel.size();
  }
}
