package io.tunnel.wire;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.List;
import java.util.Optional;

/** Payloads that hold a batch. */
final class WireSamples {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private WireSamples() {}

  static byte[] batch(int rows) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 64);
    for (int i = 0; i < rows; i++) {
      builder.add(
          new RowPutChange(
              PrimaryKey.builder().add("id", i).build(),
              List.of(new Column("value", ColumnValue.fromString("v" + i)))));
    }
    return builder.build(9, 10, 11);
  }

  static byte[] writeRequest(Optional<Durability> durability) {
    byte[] batch = batch(2);
    return WriteRequest.encode(3, durability, batch);
  }

  static byte[] delivery() {
    byte[] first = batch(2);
    byte[] second = batch(1);
    byte[] payload = new byte[Delivery.PREFIX_BYTES + first.length + second.length];
    Delivery.writePrefix(payload, 0, 4, 5, 11);
    System.arraycopy(first, 0, payload, Delivery.PREFIX_BYTES, first.length);
    System.arraycopy(second, 0, payload, Delivery.PREFIX_BYTES + first.length, second.length);
    return payload;
  }
}
