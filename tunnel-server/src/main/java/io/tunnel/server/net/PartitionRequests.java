package io.tunnel.server.net;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.cluster.LevelCore;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Frame;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.PartitionControl.Watch;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Serves requests to attach: workers to channels of tunnels, readers to partitions without a
 * tunnel.
 */
final class PartitionRequests {

  /** The lowest level whose servers all serve watches. */
  private static final int WATCHES_LEVEL = 2;

  private final Catalog catalog;
  private final Supplier<LevelCore> levels;
  private final NetServer.Delivery delivery;
  private final RequestThreads threads;

  PartitionRequests(
      Catalog catalog,
      NetServer.Delivery delivery,
      RequestThreads threads,
      Supplier<LevelCore> levels) {
    this.catalog = catalog;
    this.levels = levels;
    this.delivery = delivery;
    this.threads = threads;
  }

  void attach(Frame frame, Connection connection) {
    Attach request = Json.decode(frame.payload(), Attach.class);
    begin(Right.CONSUME, request.partition(), connection, tunnelOf(request));
    requireKey(request.partition(), request.key());
    onLoop(
        frame,
        connection,
        () ->
            delivery
                .attachments()
                .attach(
                    request,
                    delivery.handles().take(),
                    connection.deliveries(),
                    answer(frame, connection)));
  }

  /**
   * Attaches on the event loop, to which deliveries belong; another thread may have parsed the
   * request. Nothing is attached to a connection that was closed meanwhile.
   */
  private void onLoop(Frame frame, Connection connection, Runnable attaching) {
    connection
        .writer()
        .onLoopAtOnce(
            () -> {
              if (!connection.isActive()) {
                connection.answered(frame);
                return;
              }
              try {
                attaching.run();
              } catch (RuntimeException e) {
                connection.refuse(frame, threads.refusals().of(e));
              }
            });
  }

  void read(Frame frame, Connection connection) {
    read(frame, connection, Json.decode(frame.payload(), ReadPartition.class), Optional.empty());
  }

  /** Serves a watch: as {@link #read(Frame, Connection)}, for some keys. */
  void watch(Frame frame, Connection connection) {
    levels.get().require("watches", WATCHES_LEVEL);
    Watch request = Json.decode(frame.payload(), Watch.class);
    read(frame, connection, request.read(), Optional.of(request.terms()));
  }

  private void read(
      Frame frame, Connection connection, ReadPartition request, Optional<KeyTerms> terms) {
    if (catalog.isDroppedPartition(request.partition())) {
      // A dropped table has no leader, so readers must not search for one.
      connection.refuse(
          frame,
          new RefusedException(
              ErrorCode.TABLE_NOT_FOUND,
              "the table of partition " + request.partition() + " was dropped"));
      return;
    }
    begin(Right.READ, request.partition(), connection, Optional.empty());
    requireKey(request.partition(), request.key());
    ofPartition(request, () -> terms.ifPresent(keys -> requireTerms(request.partition(), keys)));
    Runnable attaching =
        () ->
            delivery
                .readings()
                .attach(
                    request,
                    terms,
                    delivery.handles().take(),
                    connection.deliveries(),
                    answer(frame, connection));
    onLoop(frame, connection, () -> ofPartition(request, attaching));
  }

  /** Runs {@code step}, whose refusals name the partition's leader. */
  private void ofPartition(ReadPartition request, Runnable step) {
    try {
      step.run();
    } catch (RefusedException e) {
      throw threads.refusals().ofPartition(e, request.partition());
    }
  }

  /** A partition that this server does not know is refused later, with its leader. */
  private void requireTerms(int partition, KeyTerms terms) {
    if (catalog.hasPartition(partition)) {
      terms.require(catalog.tableOfPartition(partition).meta().primaryKey());
    }
  }

  /** The tunnel that the grant names; the grant is verified before deliveries begin. */
  private static Optional<String> tunnelOf(Attach request) {
    return ChannelGrants.tunnelOf(request.grant());
  }

  /** Notes the right that deliveries use: they end when the client loses it. */
  private void begin(Right right, int partition, Connection connection, Optional<String> tunnel) {
    if (connection.caller().principal().isPresent()) {
      String table = catalog.tableOfPartition(partition).meta().name();
      connection.held().begin(connection.caller(), right, table, tunnel);
    }
  }

  /**
   * Refuses an invalid key, because the server keeps the key while it delivers rows. The key for an
   * unknown partition is not judged: the request is refused for the partition.
   *
   * @throws io.tunnel.codec.MalformedException when the key is invalid
   */
  private void requireKey(int partition, Bytes key) {
    if (key.length() > 0 && catalog.hasPartition(partition)) {
      byte[] said = key.toByteArray();
      List<PrimaryKeySchema> columns = catalog.tableOfPartition(partition).meta().primaryKey();
      KeyCodec.require(said, 0, said.length, columns);
    }
  }

  private static Attachments.Answer answer(Frame frame, Connection connection) {
    return new Attachments.Answer() {
      @Override
      public void attached(Attached attached) {
        connection.respond(frame, Json.encode(attached));
      }

      @Override
      public void refused(RefusedException reason) {
        connection.refuse(frame, reason);
      }

      @Override
      public void dropped() {
        connection.answered(frame);
      }
    };
  }

  void find(Frame frame, Connection connection) {
    FindPositions request = Json.decode(frame.payload(), FindPositions.class);
    PositionFinder finder = delivery.finder();
    threads.post(
        threads.control(),
        frame,
        connection,
        () ->
            finder.find(
                catalog.table(request.table()),
                request.timeMs(),
                new Operators.Answer<FoundPositions>() {
                  @Override
                  public void done(FoundPositions result) {
                    connection.respond(frame, Json.encode(result));
                  }

                  @Override
                  public void failed(Exception reason) {
                    connection.refuse(frame, threads.refusals().of(frame, reason));
                  }
                }));
  }

  /** Detaches; without an attachment it answers the same. */
  void detach(Frame frame, Connection connection) {
    connection.deliveries().carried().detach(ChannelRef.decode(frame.payload()));
    connection.respond(frame, Json.encode(new Empty()));
  }
}
