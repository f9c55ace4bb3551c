package io.tunnel.server.net;

import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.Tables;
import io.tunnel.wire.Control.CreateTable;
import io.tunnel.wire.Control.Empty;
import io.tunnel.wire.Control.RequestId;
import io.tunnel.wire.Control.TableList;
import io.tunnel.wire.Control.TableName;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.OperatorControl.AlterTable;
import java.util.Optional;
import java.util.function.Function;

/** Serves what is about tables, on the control thread; long counts go to the readers' threads. */
final class TableRequests {

  private final Catalog catalog;
  private final Tables tables;
  private final TableChanges changes;
  private final RequestThreads threads;

  TableRequests(Catalog catalog, Tables tables, TableChanges changes, RequestThreads threads) {
    this.catalog = catalog;
    this.tables = tables;
    this.changes = changes;
    this.threads = threads;
  }

  void handle(Frame frame, Connection connection) {
    threads.post(threads.control(), frame, connection, () -> serve(frame, connection));
  }

  private void serve(Frame frame, Connection connection) {
    byte[] payload = frame.payload();
    switch (frame.operation()) {
      case CREATE_TABLE ->
          changes.create(
              Json.decode(payload, CreateTable.class),
              asked(frame, Json.decode(payload, CreateTable.class).meta().name()),
              mapped(frame, connection));
      case ALTER_TABLE -> {
        AlterTable request = Json.decode(payload, AlterTable.class);
        changes.alter(
            request.table(),
            request.options(),
            asked(frame, request.table()),
            mapped(frame, connection));
      }
      case DROP_TABLE ->
          changes.drop(
              name(payload),
              asked(frame, name(payload)),
              answer(frame, connection, table -> Json.encode(new Empty())));
      case PARTITION_MAP ->
          connection.respond(frame, Json.encode(tables.partitionMap(catalog.table(name(payload)))));
      case LIST_TABLES ->
          connection.respond(
              frame,
              Json.encode(
                  new TableList(
                      catalog.tables().stream().map(table -> table.meta().name()).toList())));
      case DESCRIBE_TABLE -> {
        TableRecord table = catalog.table(name(payload));
        threads.answer(threads.readers(), frame, connection, () -> tables.describe(table));
      }
      default -> throw new IllegalStateException(frame.operation() + " is not about tables");
    }
  }

  /** What a request asks for, and by which id it comes again. */
  static Asked asked(Frame frame, String subject) {
    return new Asked(RequestId.in(frame.payload()).requestId(), frame.operation() + " " + subject);
  }

  private TableChanges.Answer mapped(Frame frame, Connection connection) {
    return answer(
        frame, connection, table -> Json.encode(tables.partitionMap(table.orElseThrow())));
  }

  private static String name(byte[] payload) {
    return Json.decode(payload, TableName.class).table();
  }

  private TableChanges.Answer answer(
      Frame frame, Connection connection, Function<Optional<TableRecord>, byte[]> payload) {
    return new TableChanges.Answer() {
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
