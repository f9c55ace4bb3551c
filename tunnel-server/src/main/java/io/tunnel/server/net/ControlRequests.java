package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.FencedStoreException;
import io.tunnel.server.catalog.StoreUnavailableException;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.log.ChangeReader;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.Coordinator.CheckpointAnswer;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.TunnelView;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control;
import io.tunnel.wire.Control.CreateTable;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.Empty;
import io.tunnel.wire.Control.OpenSession;
import io.tunnel.wire.Control.SessionId;
import io.tunnel.wire.Control.StopChannel;
import io.tunnel.wire.Control.TableList;
import io.tunnel.wire.Control.TableName;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.Control.TunnelList;
import io.tunnel.wire.Control.TunnelName;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.OperatorControl.AlterTable;
import io.tunnel.wire.OperatorControl.ChannelSelection;
import io.tunnel.wire.OperatorControl.EndSession;
import io.tunnel.wire.OperatorControl.Seek;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Serves what is about tables, tunnels and sessions, on the control thread; long counts go to the
 * readers' threads.
 */
final class ControlRequests {

  private final TunnelCatalog catalog;
  private final ChangeReader changes;
  private final Tables tables;
  private final Coordinator coordinator;
  private final Operators operators;
  private final ControlThreads threads;

  /** Those that are not answered yet; filled by event loops, emptied by the control thread. */
  private final Queue<CheckpointRequest> checkpoints = new ConcurrentLinkedQueue<>();

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
      TunnelCatalog catalog,
      ChangeReader changes,
      Tables tables,
      Coordinator coordinator,
      Operators operators,
      ControlThreads threads) {
    this.catalog = catalog;
    this.changes = changes;
    this.tables = tables;
    this.coordinator = coordinator;
    this.operators = operators;
    this.threads = threads;
  }

  void handle(Frame frame, Connection connection) {
    if (frame.operation() == Operation.CHECKPOINT) {
      checkpoint(frame, connection);
      return;
    }
    post(threads.control(), frame, connection, () -> serve(frame, connection));
  }

  /**
   * Each posts one task, which stores all that wait by then: a checkpoint may overtake other
   * requests that wait for the control thread, but none that was answered.
   */
  private void checkpoint(Frame frame, Connection connection) {
    CheckpointRequest request =
        new CheckpointRequest(
            Checkpoint.decode(frame.payload()),
            connection,
            new CheckpointAnswered(frame, connection));
    checkpoints.add(request);
    try {
      threads.control().execute(() -> coordinator.checkpoint(checkpoints));
    } catch (RejectedExecutionException e) {
      if (checkpoints.remove(request)) {
        throw busy();
      }
    }
  }

  void disconnected(Connection connection) {
    threads.control().execute(() -> coordinator.disconnected(connection));
  }

  void failed(Connection connection, int handle, RefusedException reason) {
    threads.control().execute(() -> coordinator.failed(handle, connection, reason));
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
            } catch (IOException | RuntimeException e) {
              connection.refuse(frame, refusal(e));
            }
          });
    } catch (RejectedExecutionException e) {
      throw busy();
    }
  }

  private static RefusedException busy() {
    return new RefusedException(ErrorCode.BUSY, "too many requests wait; try again later");
  }

  /** What is said of a failure; one of the store of a cluster can pass. */
  static RefusedException refusal(Exception failure) {
    if (failure instanceof RuntimeException e) {
      return Requests.refusal(e);
    }
    if (failure instanceof StoreUnavailableException) {
      return new RefusedException(ErrorCode.LOG_UNAVAILABLE, failure.getMessage());
    }
    if (failure instanceof FencedStoreException) {
      return RefusedException.notLeader(failure.getMessage(), Optional.empty());
    }
    return new RefusedException(ErrorCode.STORAGE_FAILED, failure.getMessage());
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
        TunnelView view = coordinator.view(tunnel);
        post(
            threads.readers(),
            frame,
            connection,
            () ->
                connection.respond(
                    frame, Json.encode(view.describe(changes, threads.clock().epochMicros()))));
      }
      case CREATE_TUNNEL ->
          operators.create(
              Json.decode(payload, CreateTunnel.class), new CreationAnswer(frame, connection));
      default -> connection.respond(frame, Json.encode(answer(frame, connection)));
    }
  }

  private Control answer(Frame frame, Connection connection) throws IOException {
    byte[] payload = frame.payload();
    return switch (frame.operation()) {
      case CREATE_TABLE -> createTable(Json.decode(payload, CreateTable.class));
      case PARTITION_MAP -> tables.partitionMap(table(payload));
      case LIST_TABLES ->
          new TableList(
              catalog.tables().tables().stream().map(table -> table.meta().name()).toList());
      case ALTER_TABLE -> alterTable(Json.decode(payload, AlterTable.class));
      case DROP_TABLE -> dropTable(table(payload));
      case LIST_TUNNELS ->
          new TunnelList(
              catalog.tunnels(
                  payload.length == 0
                      ? Optional.empty()
                      : Optional.of(table(payload).meta().name())));
      case DELETE_TUNNEL -> {
        operators.delete(tunnel(payload));
        yield new Empty();
      }
      case SEEK -> operators.seek(Json.decode(payload, Seek.class));
      case PAUSE -> {
        operators.pause(Json.decode(payload, ChannelSelection.class));
        yield new Empty();
      }
      case RESUME -> {
        operators.resume(Json.decode(payload, ChannelSelection.class));
        yield new Empty();
      }
      case END_SESSION -> {
        operators.endSession(Json.decode(payload, EndSession.class));
        yield new Empty();
      }
      case EXPORT_CHECKPOINTS -> operators.export(tunnel(payload));
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
      case STOP_CHANNEL -> {
        coordinator.stop(Json.decode(payload, StopChannel.class), connection);
        yield new Empty();
      }
      default ->
          throw new RefusedException(
              ErrorCode.UNKNOWN_OPERATION, "a client cannot ask for " + frame.operation());
    };
  }

  private TableRecord table(byte[] payload) {
    return catalog.tables().table(Json.decode(payload, TableName.class).table());
  }

  private TunnelInfo tunnel(byte[] payload) {
    TunnelName name = Json.decode(payload, TunnelName.class);
    return catalog.tunnel(name.table(), name.tunnel());
  }

  private Control createTable(CreateTable request) throws IOException {
    return tables.partitionMap(
        catalog
            .tables()
            .createTable(request.meta(), request.splitPoints(), threads.clock().epochMs()));
  }

  private Control alterTable(AlterTable request) throws IOException {
    TableRecord table = catalog.tables().table(request.table());
    return tables.partitionMap(catalog.tables().alterTable(table, request.options()));
  }

  private Control dropTable(TableRecord table) throws IOException {
    List<TunnelInfo> tunnels = catalog.tunnels(Optional.of(table.meta().name()));
    tables.drop(table);
    tunnels.forEach(coordinator::forget);
    return new Empty();
  }

  private record CheckpointAnswered(Frame frame, Connection connection)
      implements CheckpointAnswer {

    @Override
    public void stored() {
      connection.respond(frame, Json.encode(new Empty()));
    }

    @Override
    public void refused(Exception reason) {
      connection.refuse(frame, refusal(reason));
    }
  }

  private record CreationAnswer(Frame frame, Connection connection) implements Operators.Creation {

    @Override
    public void created(TunnelInfo tunnel) {
      connection.respond(frame, Json.encode(tunnel));
    }

    @Override
    public void failed(Exception reason) {
      connection.refuse(frame, refusal(reason));
    }
  }
}
