package io.tunnel.server.net;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.log.ChangeReader;
import io.tunnel.server.partition.PartitionHomes;
import io.tunnel.server.partition.RowMoments;
import io.tunnel.wire.ClusterControl.Attach;
import io.tunnel.wire.PartitionControl;
import io.tunnel.wire.PartitionControl.ReadPartition;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The partitions that this server delivers to readers who keep their positions themselves. A
 * reading is an attachment without a tunnel: nobody holds it, so that any number of readers may
 * read the same, nothing is stored of it, and it is over with its connection.
 *
 * <p>Its monitor guards which readings there are; nothing is called under it.
 */
public final class Readings {

  private final PartitionHomes homes;
  private final ChangeReader changes;
  private final Channels channels;
  private final RowMoments moments;
  private final Freshness freshness;
  private final Handles handles;
  private final Set<Attachment> readings = new HashSet<>();

  /** Waits until what is served of a partition has everything that was there when it was asked. */
  @FunctionalInterface
  public interface Freshness {

    /** Tells {@code then} once, on any thread: with a failure when that cannot be known. */
    void whenFresh(int partition, Consumer<Optional<RefusedException>> then);
  }

  /**
   * Reads {@code channels} of the partitions in {@code homes}, whose changes are {@code changes}.
   *
   * @param homes refuses partitions that are not served here
   * @param moments where rows are read
   * @param handles names these and all other channels of the server
   */
  public Readings(
      PartitionHomes homes,
      ChangeReader changes,
      Channels channels,
      RowMoments moments,
      Freshness freshness,
      Handles handles) {
    this.homes = homes;
    this.changes = changes;
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
    var unused = homes.of(request.partition());
    Attachment reading = new Attachment(attach(request), false, handles.next(), connection, answer);
    synchronized (this) {
      readings.add(reading);
    }
    connection.add(reading);
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
        && request.position() <= changes.settled(request.partition());
  }

  private void fresh(Attachment reading, Optional<RefusedException> failure) {
    if (!reading.isWaiting()) {
      return;
    }
    if (failure.isPresent()) {
      reading.take(failure.get());
      return;
    }
    Attach request = reading.request();
    long settled = changes.settled(request.partition());
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
    open(reading);
  }

  private void open(Attachment reading) {
    Attach request = reading.request();
    try {
      // Again: it may have been lost before it could be known here who reads it.
      var unused = homes.of(request.partition());
    } catch (RefusedException e) {
      reading.take(e);
      return;
    }
    Channel.Hold hold =
        new Channel.Hold(
            reading.handle(), request.epoch(), request.partition(), request.position());
    OptionalLong end =
        request.end().isPresent() ? OptionalLong.of(request.end().get()) : OptionalLong.empty();
    reading.open(
        request.type() == ChannelType.Stream
            ? channels.stream(hold, end, request.endMs(), reading.connection())
            : channels.rows(
                moments.since(changes.settled(request.partition())),
                hold,
                request.key(),
                reading.connection()));
  }

  /** Nobody reads by that any more. */
  synchronized void gone(Attachment reading) {
    readings.remove(reading);
  }

  /**
   * This server does not serve a partition any more: nothing of it is delivered from here on, and
   * its readers are told. Its home must refuse before this is called.
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
