package io.tunnel.server.net;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.net.access.Authority;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.security.Principal;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control.CreateTable;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Control.RequestId;
import io.tunnel.wire.control.Control.TableList;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import java.util.Optional;
import java.util.function.Function;

/** Serves requests about tables, on the control thread; long counts go to the readers' threads. */
final class TableRequests {

  private final Catalog catalog;
  private final Tables tables;
  private final TableChanges changes;
  private final RequestThreads threads;
  private final ClusterView cluster;

  TableRequests(
      Catalog catalog,
      Tables tables,
      TableChanges changes,
      RequestThreads threads,
      ClusterView cluster) {
    this.cluster = cluster;
    this.catalog = catalog;
    this.tables = tables;
    this.changes = changes;
    this.threads = threads;
  }

  private void post(Frame frame, Connection connection, RequestThreads.Action action) {
    threads.post(threads.control(), frame, connection, action);
  }

  void create(Frame frame, Connection connection) {
    post(
        frame,
        connection,
        () -> {
          CreateTable request = Json.decode(frame.payload(), CreateTable.class);
          if (request.meta().options().ttlMs().isPresent()) {
            RowFeature.TIME_TO_LIVE.require(cluster);
          }
          if (PrimaryKeySchema.autoPlace(request.meta().primaryKey()).isPresent()) {
            RowFeature.AUTO_KEYS.require(cluster);
          }
          changes.create(
              request, asked(frame, connection, request.meta().name()), mapped(frame, connection));
        });
  }

  void alter(Frame frame, Connection connection) {
    post(
        frame,
        connection,
        () -> {
          AlterTable request = Json.decode(frame.payload(), AlterTable.class);
          changes.alter(
              request.table(),
              before ->
                  Authority.altered(
                      request.table(), before, request.options(), connection.caller()),
              asked(frame, connection, request.table()),
              mapped(frame, connection));
        });
  }

  void drop(Frame frame, Connection connection) {
    post(
        frame,
        connection,
        () ->
            changes.drop(
                name(frame),
                asked(frame, connection, name(frame)),
                answer(frame, connection, table -> Json.encode(new Empty()))));
  }

  void map(Frame frame, Connection connection) {
    post(
        frame,
        connection,
        () ->
            connection.respond(
                frame, Json.encode(tables.partitionMap(catalog.table(name(frame))))));
  }

  void list(Frame frame, Connection connection) {
    post(
        frame,
        connection,
        () ->
            connection.respond(
                frame,
                Json.encode(
                    new TableList(
                        catalog.tables().stream()
                            .map(table -> table.meta().name())
                            .filter(connection.caller()::sees)
                            .toList()))));
  }

  void describe(Frame frame, Connection connection) {
    post(
        frame,
        connection,
        () -> {
          TableRecord table = catalog.table(name(frame));
          threads.answer(threads.readers(), frame, connection, () -> tables.describe(table));
        });
  }

  /** The request's identity for retries: its subject, id and client. */
  static Asked asked(Frame frame, Connection connection, String subject) {
    return new Asked(
        RequestId.in(frame.payload()).requestId(),
        frame.operation() + " " + subject,
        connection.caller().principal().map(Principal::name));
  }

  private TableChanges.ChangeAnswer mapped(Frame frame, Connection connection) {
    return answer(
        frame, connection, table -> Json.encode(tables.partitionMap(table.orElseThrow())));
  }

  private static String name(Frame frame) {
    return Json.decode(frame.payload(), TableName.class).table();
  }

  private TableChanges.ChangeAnswer answer(
      Frame frame, Connection connection, Function<Optional<TableRecord>, byte[]> payload) {
    return new TableChanges.ChangeAnswer() {
      @Override
      public void done(Optional<TableRecord> table) {
        connection.respond(frame, payload.apply(table));
      }

      @Override
      public void failed(Exception reason) {
        connection.refuse(frame, threads.refusals().ofCatalog(frame, reason));
      }
    };
  }
}
