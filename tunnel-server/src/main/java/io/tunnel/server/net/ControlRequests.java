package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.session.ChannelView;
import io.tunnel.server.session.Coordinator;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.Control.CreateTable;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.Empty;
import io.tunnel.wire.Control.OpenSession;
import io.tunnel.wire.Control.SessionId;
import io.tunnel.wire.Control.TableList;
import io.tunnel.wire.Control.TableName;
import io.tunnel.wire.Control.TunnelDescription;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Control.TunnelList;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.OperatorControl.AlterTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Serves what is about tables, tunnels and sessions, on the control thread; long counts go to the
 * readers' threads.
 */
final class ControlRequests {

  private final Catalog catalog;
  private final Shards shards;
  private final Tables tables;
  private final Coordinator coordinator;
  private final ControlThreads threads;

  /** Where requests are served, and what time it is. */
  record ControlThreads(Executor control, Executor readers, WallClock clock) {}

  /** The time of day, injected. */
  @FunctionalInterface
  interface WallClock {
    /** Microseconds since 1970. */
    long epochMicros();

    /** Milliseconds since 1970. */
    default long epochMs() {
      return TimeUnit.MICROSECONDS.toMillis(epochMicros());
    }
  }

  ControlRequests(
      Catalog catalog,
      Shards shards,
      Tables tables,
      Coordinator coordinator,
      ControlThreads threads) {
    this.catalog = catalog;
    this.shards = shards;
    this.tables = tables;
    this.coordinator = coordinator;
    this.threads = threads;
  }

  void handle(Frame frame, Connection connection) {
    post(threads.control(), frame, connection, () -> serve(frame, connection));
  }

  void disconnected(Connection connection) {
    threads.control().execute(() -> coordinator.disconnected(connection));
  }

  /** Something that may fail. */
  @FunctionalInterface
  private interface Action {
    void run() throws IOException;
  }

  private static void post(Executor executor, Frame frame, Connection connection, Action action) {
    try {
      executor.execute(
          () -> {
            try {
              action.run();
            } catch (IOException e) {
              connection.refuse(
                  frame, new RefusedException(ErrorCode.STORAGE_FAILED, e.getMessage()));
            } catch (RuntimeException e) {
              connection.refuse(frame, Requests.refusal(e));
            }
          });
    } catch (RejectedExecutionException e) {
      throw new RefusedException(ErrorCode.BUSY, "too many requests wait; try again later");
    }
  }

  private void serve(Frame frame, Connection connection) throws IOException {
    byte[] payload = frame.payload();
    switch (frame.operation()) {
      case OPEN_SESSION ->
          coordinator.open(
              Json.decode(payload, OpenSession.class),
              connection,
              opened -> connection.respond(frame, Json.encode(opened)));
      case DESCRIBE_TABLE -> {
        TableRecord table = table(payload);
        post(
            threads.readers(),
            frame,
            connection,
            () -> connection.respond(frame, Json.encode(tables.describe(table))));
      }
      case DESCRIBE_TUNNEL -> {
        TunnelInfo tunnel = tunnel(payload);
        List<ChannelView> channels = coordinator.channels(tunnel);
        post(
            threads.readers(),
            frame,
            connection,
            () -> connection.respond(frame, Json.encode(describe(tunnel, channels))));
      }
      default -> connection.respond(frame, Json.encode(answer(frame, connection)));
    }
  }

  private Control answer(Frame frame, Connection connection) throws IOException {
    byte[] payload = frame.payload();
    return switch (frame.operation()) {
      case CREATE_TABLE -> createTable(Json.decode(payload, CreateTable.class));
      case PARTITION_MAP -> tables.partitionMap(table(payload));
      case LIST_TABLES ->
          new TableList(catalog.tables().stream().map(table -> table.meta().name()).toList());
      case ALTER_TABLE -> alterTable(Json.decode(payload, AlterTable.class));
      case DROP_TABLE -> dropTable(table(payload));
      case CREATE_TUNNEL -> createTunnel(Json.decode(payload, CreateTunnel.class));
      case LIST_TUNNELS ->
          new TunnelList(
              catalog.tunnels(
                  payload.length == 0
                      ? Optional.empty()
                      : Optional.of(table(payload).meta().name())));
      case DELETE_TUNNEL -> deleteTunnel(tunnel(payload));
      case CLOSE_SESSION -> {
        coordinator.close(Json.decode(payload, SessionId.class).sessionId(), connection);
        yield new Empty();
      }
      case HEARTBEAT -> {
        coordinator.heartbeat(Json.decode(payload, SessionId.class).sessionId(), connection);
        yield new Empty();
      }
      case RELEASE -> {
        coordinator.release(ChannelRef.decode(payload), connection);
        yield new Empty();
      }
      case CHECKPOINT -> {
        coordinator.checkpoint(Checkpoint.decode(payload), connection);
        yield new Empty();
      }
      default ->
          throw new RefusedException(
              ErrorCode.UNKNOWN_OPERATION, "a client cannot ask for " + frame.operation());
    };
  }

  private TableRecord table(byte[] payload) {
    return catalog.table(Json.decode(payload, TableName.class).table());
  }

  private TunnelInfo tunnel(byte[] payload) {
    TunnelName name = Json.decode(payload, TunnelName.class);
    return catalog.tunnel(name.table(), name.tunnel());
  }

  private Control createTable(CreateTable request) throws IOException {
    return tables.partitionMap(
        catalog.createTable(request.meta(), request.splitPoints(), threads.clock().epochMs()));
  }

  private Control alterTable(AlterTable request) throws IOException {
    TableRecord table = catalog.table(request.table());
    return tables.partitionMap(catalog.alterTable(table, request.options()));
  }

  private Control dropTable(TableRecord table) throws IOException {
    for (TunnelInfo tunnel : catalog.tunnels(Optional.of(table.meta().name()))) {
      coordinator.forget(tunnel);
    }
    tables.drop(table);
    return new Empty();
  }

  private Control createTunnel(CreateTunnel request) throws IOException {
    if (request.type() != TunnelType.Stream) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "this server makes tunnels of type Stream only, not " + request.type());
    }
    TableRecord table = catalog.table(request.table());
    Map<Integer, Long> checkpoints = new LinkedHashMap<>();
    for (PartitionRecord partition : table.partitions()) {
      int id = partition.id();
      checkpoints.put(
          id,
          request.start() == StreamStart.EARLIEST
              ? shards.firstPosition(id) - 1
              : shards.committed(id));
    }
    long nowMicros = threads.clock().epochMicros();
    String tunnelId = "t" + catalog.starts() + "-" + Long.toString(nowMicros, Character.MAX_RADIX);
    return catalog.createTunnel(
        request, tunnelId, checkpoints, TimeUnit.MICROSECONDS.toMillis(nowMicros));
  }

  private Control deleteTunnel(TunnelInfo tunnel) throws IOException {
    coordinator.forget(tunnel);
    catalog.deleteTunnel(tunnel);
    return new Empty();
  }

  private TunnelDescription describe(TunnelInfo tunnel, List<ChannelView> views)
      throws IOException {
    List<ChannelDescription> channels = new ArrayList<>();
    for (ChannelView view : views) {
      channels.add(view.describe(shards, threads.clock().epochMicros()));
    }
    return new TunnelDescription(tunnel, channels);
  }
}
