package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.WriterNumber;
import io.tunnel.it.process.RawClient;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriterToken;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Promises for batches with numbers of their writers. */
abstract class WritersContract extends Contract {

  private static final SplittableRandom SECRETS = new SplittableRandom();

  /** A writer of a table's first partition. */
  final class Writer {
    private final TableInfo table;
    private final int partition;
    private Bytes token;
    private RawClient connection = raw();

    Writer(TableInfo table) {
      this.table = table;
      this.partition = tables().describeTable(table.meta().name()).partitions().get(0).id();
      // From then on the partition has a leader.
      WritersContract.this.write(table, put(1_000, 1));
      byte[] secret = new byte[WriterToken.SECRET_BYTES];
      synchronized (SECRETS) {
        SECRETS.nextBytes(secret);
      }
      byte[] request = new WriterToken.Request(table.tableId(), Bytes.copyOf(secret)).encode();
      token = WriterToken.decode(connection.request(Operation.OPEN_WRITER, request)).bytes();
    }

    /** Goes on over another connection. */
    void reconnect() {
      connection.close();
      connection = raw();
    }

    private byte[] payload(long number, long after, RowChange... rows) {
      BatchBuilder builder = new BatchBuilder(table.meta().primaryKey(), 256);
      builder.setAttributes(new WriterNumber(token, number, after).attributes());
      for (RowChange row : rows) {
        assertThat(builder.add(row)).isTrue();
      }
      byte[] batch = builder.build(partition);
      return WriteRequest.encode(table.tableId(), Optional.empty(), batch);
    }

    WriteResult write(long number, long after, RowChange... rows) {
      return WriteResult.decode(connection.request(Operation.WRITE, payload(number, after, rows)));
    }

    /** Returns the date under which the partition takes the writer. */
    long requireEnded(long number, long after, RowChange... rows) {
      ErrorPayload refused = connection.refused(Operation.WRITE, payload(number, after, rows));
      assertThat(refused.code()).as(refused.message()).isEqualTo(ErrorCode.WRITER_ENDED);
      return refused.writerDateMicros();
    }

    /** Stays the same writer under another date; returns the former one. */
    long dated(long micros) {
      WriterToken former = new WriterToken(token);
      token = former.dated(micros).bytes();
      return former.dateMicros();
    }
  }

  static RowUpdateChange add(long id, long delta) {
    return new RowUpdateChange(key(id), List.of(new ColumnUpdate.Increment("v", delta)));
  }

  private static RowPutChange putNew(long id, long v) {
    return new RowPutChange(
        key(id),
        List.of(new Column("v", ColumnValue.fromLong(v))),
        RowExistenceExpectation.EXPECT_NOT_EXIST);
  }

  final long value(TableInfo table, long id) {
    return tables()
        .getRow(table.meta().name(), key(id))
        .orElseThrow()
        .value("v")
        .orElseThrow()
        .asLong();
  }

  @Test
  void a_batch_that_comes_again_is_applied_once_and_gets_its_first_answer() {
    TableInfo table = table();
    Writer writer = new Writer(table);
    RowChange[] rows = {add(1, 5), putNew(1, 9), putNew(2, 7), add(1, 2)};
    WriteResult first = writer.write(1, 0, rows);
    assertThat(first.appliedRows()).isEqualTo(3);
    assertThat(first.rejections()).hasSize(1);
    assertThat(writer.write(1, 0, rows)).isEqualTo(first);
    writer.reconnect();
    assertThat(writer.write(1, 0, rows)).isEqualTo(first);
    assertThat(value(table, 1)).isEqualTo(7);
    WriteResult second = writer.write(2, 1, rows);
    assertThat(second.firstPosition()).isGreaterThan(first.firstPosition());
    assertThat(writer.write(2, 1, rows)).isEqualTo(second);
    assertThat(value(table, 1)).isEqualTo(14);
  }

  @Test
  void a_batch_of_rejected_rows_stays_rejected_when_its_condition_holds_by_then() {
    TableInfo table = table();
    write(table, put(1, 1));
    Writer writer = new Writer(table);
    WriteResult first = writer.write(1, 0, putNew(1, 2));
    assertThat(first.appliedRows()).isZero();
    write(table, new RowDeleteChange(key(1)));
    writer.reconnect();
    assertThat(writer.write(1, 0, putNew(1, 2))).isEqualTo(first);
    assertThat(tables().getRow(table.meta().name(), key(1))).isEmpty();
    assertThat(writer.write(2, 0, putNew(1, 2)).appliedRows()).isEqualTo(1);
  }
}
