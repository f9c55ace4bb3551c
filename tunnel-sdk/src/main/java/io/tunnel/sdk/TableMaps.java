package io.tunnel.sdk;

import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.write.PartitionMaps;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriterToken;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.util.concurrent.CompletableFuture;

/** Asks for the partition maps of tables, and notes the leaders in them. */
final class TableMaps {

  private final Caller caller;

  TableMaps(Caller caller) {
    this.caller = caller;
  }

  /** The maps and the writers' ids of a table, as its server tells them. */
  PartitionMaps of(String table) {
    byte[] payload = Json.encode(new Control.TableName(table));
    return new PartitionMaps() {
      @Override
      public CompletableFuture<TableDescription> read() {
        return caller
            .ask(Operation.PARTITION_MAP, payload)
            .thenApply(frame -> learned(Json.decode(frame.payload(), TableDescription.class)));
      }

      @Override
      public CompletableFuture<WriterToken> openWriter(int tableId) {
        byte[] request =
            new WriterToken.Request(tableId, caller.secret(WriterToken.SECRET_BYTES)).encode();
        return caller
            .ask(Operation.OPEN_WRITER, request)
            .thenApply(frame -> WriterToken.decode(frame.payload()));
      }
    };
  }

  /** Notes the leaders in a partition map, so that requests go to them directly. */
  TableDescription learned(TableDescription map) {
    for (PartitionDescription partition : map.partitions()) {
      Subject subject = Subject.partition(map.meta().name(), partition.id());
      Endpoint.told(partition.leader()).ifPresent(leader -> caller.learn(subject, leader));
    }
    return map;
  }
}
