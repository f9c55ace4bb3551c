package io.tunnel.wire;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
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

  /** A look with every kind of question. */
  static LookRequest look() {
    return new LookRequest(
        "n1",
        "n2",
        1_790_000_000_000L,
        List.of(
            new LookRequest.Bound(List.of(1L, Long.MAX_VALUE)),
            new LookRequest.Where(3, List.of(), Optional.empty()),
            new LookRequest.Where(
                5,
                List.of(1_790_000_000_000_000L, -1L),
                Optional.of(new KnownPosition(7, 1_790_000_000_001L))),
            new LookRequest.Behind(6, List.of(0L, 9L)),
            new LookRequest.Pin(7, "t1g3-é"),
            new LookRequest.Unpin(8, "t1"),
            new LookRequest.Verified(Integer.MAX_VALUE)));
  }

  /** An answer with every kind of part. */
  static LookAnswer looked() {
    return new LookAnswer(
        List.of(
            new LookAnswer.BoundRows(
                7,
                true,
                List.of(new LookAnswer.Count(0, true), new LookAnswer.Count(1_000, false))),
            new LookAnswer.Refused(3, ErrorCode.NOT_LEADER, "später"),
            new LookAnswer.Found(
                5,
                2,
                40,
                Optional.of(1_790_000_000_001L),
                List.of(12L, Long.MAX_VALUE),
                Optional.of(6L)),
            new LookAnswer.Found(6, 0, 0, Optional.empty(), List.of(), Optional.empty()),
            new LookAnswer.VerifiedUpTo(7, Optional.of(9L)),
            new LookAnswer.Lags(8, 1, 40, List.of(new LookAnswer.Lag(256, 1_790_000_000_000_000L))),
            new LookAnswer.Pinned(9, 40, Optional.of(1_790_000_000_001L)),
            new LookAnswer.Pinned(10, 0, Optional.empty()),
            new LookAnswer.Unpinned(11),
            new LookAnswer.VerifiedUpTo(Integer.MAX_VALUE, Optional.empty())));
  }

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
