package io.tunnel.server.net;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Freshness;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.DeliveryPort;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.RowMoments;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;

/**
 * The partitions that this server delivers to readers who keep their positions themselves. A
 * reading is an attachment without a tunnel: nobody holds it, so that any number of readers may
 * read the same, nothing is stored of it, and it is over with its connection.
 *
 * <p>Its monitor guards which readings there are; nothing is called under it.
 */
public final class Readings {

  private final PartitionHosts hosts;
  private final Positions positions;
  private final Channels channels;
  private final RowMoments moments;
  private final Freshness freshness;
  private final Handles handles;
  private final Set<Attachment> readings = new HashSet<>();

  /** The changes that are read, and what their positions mean to those who come back. */
  public record Positions(ChangeReader changes, Incarnations incarnations) {

    private long settled(int partition) {
      return changes.settled(partition);
    }

    /** Delivers to somebody who is told the incarnation that is the newest now. */
    IncarnatedPort port(int partition, DeliveryPort connection) {
      return new IncarnatedPort(
          connection, incarnations.newest(partition), () -> incarnations.newest(partition));
    }

    /** Whether what is known is certainly there, without another look at the log. */
    boolean has(int partition, KnownPosition known) {
      return replaced(partition, known).isEmpty()
          && incarnations
              .of(partition)
              .filter(history -> history.isBehind(known.incarnation()))
              .isEmpty();
    }

    /** Why who knows that much cannot read on, if so. */
    Optional<RefusedException> replaced(int partition, KnownPosition known) {
      long shared =
          incarnations
              .of(partition)
              .map(history -> history.sharedUpTo(known.incarnation()))
              .orElse(Long.MAX_VALUE);
      long last = Math.min(shared, settled(partition));
      return known.position() <= last
          ? Optional.empty()
          : Optional.of(
              new RefusedException(
                  ErrorCode.POSITION_REPLACED,
                  "changes of partition "
                      + partition
                      + " up to position "
                      + known.position()
                      + " were read, and those behind "
                      + last
                      + " were lost since, or are not known to be there: their positions are given"
                      + " to other changes, which would be skipped (incarnation "
                      + known.incarnation()
                      + ")"));
    }
  }

  /**
   * Reads {@code channels} of the partitions in {@code hosts}, whose changes are at {@code
   * positions}.
   *
   * @param hosts refuses partitions that are not served here
   * @param moments where rows are read
   * @param handles names these and all other channels of the server
   */
  public Readings(
      PartitionHosts hosts,
      Positions positions,
      Channels channels,
      RowMoments moments,
      Freshness freshness,
      Handles handles) {
    this.hosts = hosts;
    this.positions = positions;
    this.channels = channels;
    this.moments = moments;
    this.freshness = freshness;
    this.handles = handles;
  }

  /** Begins to read; on the connection's event loop. */
  void read(ReadPartition request, Connection connection, Attachment.Answer answer) {
    if (connection.attachmentCount() >= Attachments.OF_CONNECTION_MAX) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "a connection reads "
              + Attachments.OF_CONNECTION_MAX
              + " partitions at most; detach some");
    }
    var unused = hosts.of(request.partition());
    Attachment attachment =
        new Attachment(attach(request), false, handles.next(), connection, answer);
    Reading reading = new Reading(attachment, request.known());
    synchronized (this) {
      readings.add(attachment);
    }
    connection.add(attachment);
    if (isPresent(request)) {
      open(reading);
    } else {
      freshness.whenFresh(
          request.partition(), failure -> post(connection, () -> fresh(reading, failure)));
    }
  }

  /** From threads that must not fail because a connection's has ended: nobody waits there then. */
  private static void post(Connection connection, Runnable task) {
    try {
      connection.execute(task);
    } catch (RejectedExecutionException e) {
      return;
    }
  }

  private static Attach attach(ReadPartition request) {
    return new Attach(
        "",
        "",
        request.partition(),
        request.type(),
        PartitionControl.EPOCH,
        request.position(),
        request.key(),
        request.end(),
        request.endMs(),
        Optional.empty());
  }

  private boolean isPresent(ReadPartition request) {
    return request.type() == ChannelType.Stream
        && request.position() <= positions.settled(request.partition())
        && request.known().filter(known -> !positions.has(request.partition(), known)).isEmpty();
  }

  private Optional<RefusedException> replaced(int partition, KnownPosition known) {
    return positions.replaced(partition, known);
  }

  private void fresh(Reading asked, Optional<RefusedException> failure) {
    Attachment reading = asked.attachment();
    if (!reading.isWaiting()) {
      return;
    }
    if (failure.isPresent()) {
      reading.take(failure.get());
      return;
    }
    Attach request = reading.request();
    Optional<RefusedException> replaced =
        asked.known().flatMap(known -> replaced(request.partition(), known));
    if (replaced.isPresent()) {
      reading.take(replaced.get());
      return;
    }
    long settled = positions.settled(request.partition());
    if (request.type() == ChannelType.Stream && request.position() > settled) {
      reading.take(
          new RefusedException(
              ErrorCode.INVALID_POSITION,
              "there is no position "
                  + request.position()
                  + " to go on behind; the newest of partition "
                  + request.partition()
                  + " is "
                  + settled));
      return;
    }
    open(asked);
  }

  private void open(Reading asked) {
    Attachment reading = asked.attachment();
    Attach request = reading.request();
    try {
      // Again: it may have been lost before it could be known here who reads it.
      var unused = hosts.of(request.partition());
    } catch (RefusedException e) {
      reading.take(e);
      return;
    }
    Channel.Start start =
        new Channel.Start(
            reading.handle(), request.epoch(), request.partition(), request.position());
    OptionalLong end =
        request.end().isPresent() ? OptionalLong.of(request.end().get()) : OptionalLong.empty();
    IncarnatedPort port = positions.port(request.partition(), reading.connection());
    reading.open(
        request.type() == ChannelType.Stream
            ? channels.stream(start, end, request.endMs(), port)
            : channels.rows(
                moments.since(positions.settled(request.partition())), start, request.key(), port),
        port.told());
  }

  /** Somebody who begins to read, and what of the partition is known to it already. */
  private record Reading(Attachment attachment, Optional<KnownPosition> known) {}

  /** Nobody reads by that any more. */
  synchronized void gone(Attachment reading) {
    readings.remove(reading);
  }

  /**
   * This server does not serve a partition any more: nothing of it is delivered from here on, and
   * its readers are told. Its host must refuse before this is called.
   */
  public void lost(int partition, RefusedException reason) {
    of(partition).forEach(reading -> post(reading.connection(), () -> reading.take(reason)));
  }

  private synchronized List<Attachment> of(int partition) {
    return readings.stream().filter(reading -> reading.request().partition() == partition).toList();
  }

  /** Partitions that are read, or are about to be. */
  public synchronized Set<Integer> partitions() {
    return readings.stream()
        .map(reading -> reading.request().partition())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** How many there are. */
  public synchronized int count() {
    return readings.size();
  }
}
