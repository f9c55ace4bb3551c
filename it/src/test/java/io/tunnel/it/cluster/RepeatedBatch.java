package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.WriterNumber;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.RawClient;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriterToken;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A writer that adds 1 to a row in numbered batches, and repeats its last batch as a client does
 * that has not heard the answer.
 */
final class RepeatedBatch {

  private static final String TABLE = "repeated";

  private final MovedService service;
  private final TableClient tables;
  private final TableInfo table;
  private final Bytes token;
  private long number;
  private Optional<WriteResult> last = Optional.empty();

  RepeatedBatch(MovedService service, TableClient tables) {
    this.service = service;
    this.tables = tables;
    table =
        tables.createTable(
            CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER).build());
    byte[] secret = new byte[WriterToken.SECRET_BYTES];
    new SplittableRandom().nextBytes(secret);
    byte[] request = new WriterToken.Request(table.tableId(), Bytes.copyOf(secret)).encode();
    token = WriterToken.decode(ask(Operation.OPEN_WRITER, request)).bytes();
  }

  /** The answer of the leader, when there is one. */
  private byte[] ask(Operation operation, byte[] payload) {
    AtomicReference<Optional<Frame>> answer = new AtomicReference<>(Optional.empty());
    AtomicReference<String> refused = new AtomicReference<>("");
    Poll.until(
        Poll.LONG,
        () -> {
          for (int port : service.ports()) {
            try (RawClient client = RawClient.greeted(port)) {
              Frame frame = client.ask(operation.code(), payload);
              if (frame.kind() == FrameKind.ERROR) {
                refused.set(RawClient.errorOf(frame).toString());
              } else {
                answer.set(Optional.of(frame));
              }
            }
          }
          return answer.get().isPresent();
        },
        () -> operation + " answered, but " + refused.get());
    return answer.get().orElseThrow().payload();
  }

  private WriteResult write() {
    BatchBuilder builder = new BatchBuilder(table.meta().primaryKey(), 256);
    builder.setAttributes(new WriterNumber(token, number, number - 1).attributes());
    assertThat(
            builder.add(
                new RowUpdateChange(
                    CircleLoad.key(1), List.of(new ColumnUpdate.Increment("v", 1)))))
        .isTrue();
    byte[] batch = builder.build(table.partitions().get(0).id());
    byte[] request = WriteRequest.encode(table.tableId(), Optional.empty(), batch);
    return WriteResult.decode(ask(Operation.WRITE, request));
  }

  /** Writes the next batch. */
  void next() {
    number++;
    last = Optional.of(write());
    requireSum();
  }

  /** Writes the last batch again: it gets its first answer, and the sum stays. */
  void requireRecognised() {
    assertThat(write()).isEqualTo(last.orElseThrow());
    requireSum();
  }

  private void requireSum() {
    long sum =
        tables.getRow(TABLE, CircleLoad.key(1)).orElseThrow().value("v").orElseThrow().asLong();
    assertThat(sum).isEqualTo(number);
  }
}
