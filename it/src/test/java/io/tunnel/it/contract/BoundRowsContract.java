package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.SessionProof;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.RawClient;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Rows that are bound to a session: gone with it, and never before. */
abstract class BoundRowsContract extends Contract {

  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final SplittableRandom SECRETS = new SplittableRandom();

  private RowSession session() {
    return closing(tables().openSession(LEASE));
  }

  private boolean isThere(TableInfo table, long id) {
    return tables().getRow(table.meta().name(), key(id)).isPresent();
  }

  /** The changes that a tunnel has, as text. */
  private static final class Changes implements IChannelProcessor {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @Override
    public void process(ProcessRecordsInput input) {
      input.getRecords().forEach(record -> seen.add(text(record)));
    }

    private static String text(StreamRecord record) {
      return record.getRecordType()
          + record.deletionCause().map(cause -> " " + cause).orElse("")
          + " "
          + record.getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong();
    }

    @Override
    public void shutdown() {}

    /** All changes, when there are so many. */
    List<String> all(int count) {
      Poll.until(count + " changes", () -> seen.size() >= count);
      return List.copyOf(seen);
    }
  }

  private Changes changes(TableInfo table) {
    Changes changes = new Changes();
    var unused = worker(tunnel(table, "changes", TunnelType.Stream), "a", changes);
    return changes;
  }

  @Test
  void a_session_that_is_closed_takes_its_rows_along_and_no_others() {
    TableInfo table = table();
    String name = table.meta().name();
    Changes changes = changes(table);
    RowSession session = session();
    session.write(name, List.of(put(1, 1)));
    write(table, put(2, 2));
    assertThat(isThere(table, 1)).isTrue();
    session.close();
    assertThat(isThere(table, 1)).isFalse();
    assertThat(isThere(table, 2)).isTrue();
    assertThat(session.ended().join()).isEqualTo(RowSession.End.CLOSED);
    write(table, put(3, 3));
    assertThat(changes.all(4)).containsExactly("PUT 1", "PUT 2", "DELETE SESSION_ENDED 1", "PUT 3");
  }

  @Test
  void rows_of_several_partitions_go_together_and_those_of_another_session_stay() {
    TableInfo table = table(10, 20);
    String name = table.meta().name();
    RowSession one = session();
    RowSession other = session();
    one.write(name, List.of(put(1, 1), put(11, 1), put(21, 1)));
    other.write(name, List.of(put(2, 1), put(12, 1)));
    one.close();
    assertThat(List.of(isThere(table, 1), isThere(table, 11), isThere(table, 21)))
        .containsOnly(false);
    assertThat(List.of(isThere(table, 2), isThere(table, 12))).containsOnly(true);
    other.close();
    assertThat(List.of(isThere(table, 2), isThere(table, 12))).containsOnly(false);
  }

  @Test
  void the_last_write_of_a_row_decides_whose_it_is() {
    TableInfo table = table();
    String name = table.meta().name();
    RowSession one = session();
    RowSession other = session();
    one.write(name, List.of(put(1, 1), put(2, 1), put(3, 1), put(4, 1)));
    // A plain put and a plain update unbind, another session binds, a deleted row is no row.
    write(table, put(1, 2));
    write(table, update(2));
    other.write(name, List.of(update(3)));
    write(table, new RowDeleteChange(key(4)));
    write(table, put(4, 2));
    write(table, put(5, 2));
    one.write(name, List.of(update(5), put(6, 1), new RowDeleteChange(key(6))));
    Changes changes = changes(table);
    one.close();
    write(table, put(7, 1));
    assertThat(changes.all(15).subList(13, 15)).containsExactly("DELETE SESSION_ENDED 5", "PUT 7");
    other.close();
    assertThat(isThere(table, 3)).isFalse();
    assertThat(List.of(isThere(table, 1), isThere(table, 2), isThere(table, 4))).containsOnly(true);
  }

  @Test
  void an_atomic_batch_binds_all_its_rows_or_none() {
    TableInfo table = table();
    String name = table.meta().name();
    RowSession session = session();
    var unused = session.writeAtomically(name, List.of(put(1, 1), update(2)));
    assertThat(List.of(isThere(table, 1), isThere(table, 2))).containsOnly(true);
    session.close();
    assertThat(List.of(isThere(table, 1), isThere(table, 2))).containsOnly(false);
  }

  @Test
  void a_session_that_has_ended_is_refused_and_its_owner_hears_of_it() {
    TableInfo table = table();
    RowSession session = session();
    session.close();
    assertRefused(
        ErrorCode.SESSION_ENDED, () -> session.tryWrite(table.meta().name(), List.of(put(1, 1))));
    session.close();
    assertThat(session.isOpen()).isFalse();
  }

  @Test
  void a_session_without_renewals_ends_with_its_lease() {
    TableInfo table = table();
    Raw session = new Raw(table, 2_000);
    session.write(put(1, 1));
    write(table, put(2, 1));
    session.renew();
    Poll.until(
        Poll.LONG,
        () -> {
          subject().letLeaseEnd();
          return !isThere(table, 1);
        },
        () -> "row 1 is gone");
    assertThat(isThere(table, 2)).isTrue();
    session.requireEnded(Operation.RENEW_ROW_SESSION, session.named());
    session.requireEnded(Operation.WRITE, session.payload(put(3, 1)));
    assertThat(isThere(table, 3)).isFalse();
    // A late close is answered as the first one.
    session.connection.request(Operation.CLOSE_ROW_SESSION, session.named());
  }

  @Test
  void a_session_lives_on_over_another_connection_and_is_opened_once() {
    TableInfo table = table();
    Raw session = new Raw(table, 60_000);
    session.write(put(1, 1));
    session.reconnect();
    assertThat(session.open(60_000)).isEqualTo(session.id);
    session.renew();
    session.write(put(2, 1));
    assertThat(List.of(isThere(table, 1), isThere(table, 2))).containsOnly(true);
    session.connection.request(Operation.CLOSE_ROW_SESSION, session.named());
    assertThat(List.of(isThere(table, 1), isThere(table, 2))).containsOnly(false);
  }

  @Test
  void nobody_writes_or_ends_the_session_of_another_secret() {
    TableInfo table = table();
    Raw session = new Raw(table, 60_000);
    session.write(put(1, 1));
    Raw thief = new Raw(table, 60_000);
    thief.id = session.id;
    thief.requireEnded(Operation.WRITE, thief.payload(put(1, 2)));
    thief.requireEnded(Operation.RENEW_ROW_SESSION, thief.named());
    session.renew();
    assertThat(isThere(table, 1)).isTrue();
    session.connection.request(Operation.CLOSE_ROW_SESSION, session.named());
    assertThat(isThere(table, 1)).isFalse();
  }

  @Test
  void a_lease_has_limits() {
    for (Duration lease : List.of(Duration.ofMillis(1_999), Duration.ofMillis(3_600_001))) {
      assertRefused(ErrorCode.INVALID_REQUEST, () -> tables().openSession(lease));
    }
  }

  @Test
  void a_session_has_so_many_rows_in_a_partition() {
    TableInfo table = table();
    String name = table.meta().name();
    RowSession session = session();
    List<RowChange> rows = new ArrayList<>();
    for (long id = 1; id <= Limits.SESSION_ROWS_MAX; id++) {
      rows.add(put(id, id));
    }
    session.write(name, rows);
    RowResult refused = session.tryWrite(name, List.of(put(0, 0))).results().get(0);
    assertThat(refused.error()).as(refused.message()).contains(ErrorCode.LIMIT_REACHED);
    session.write(name, List.of(put(1, 2), new RowDeleteChange(key(2))));
    session.write(name, List.of(put(0, 0)));
    assertThat(session.isOpen()).isTrue();
  }

  private static RowUpdateChange update(long id) {
    return new RowUpdateChange(
        key(id), List.of(new ColumnUpdate.Put("v", ColumnValue.fromLong(9))));
  }

  /** A session of a table's first partition, whose requests a test sends by itself. */
  private final class Raw {
    private final TableInfo table;
    private final int partition;
    private final Bytes secret;
    private RawClient connection = raw();
    private long id;

    Raw(TableInfo table, long leaseMs) {
      this.table = table;
      this.partition = tables().describeTable(table.meta().name()).partitions().get(0).id();
      byte[] drawn = new byte[SessionProof.SECRET_BYTES];
      synchronized (SECRETS) {
        SECRETS.nextBytes(drawn);
      }
      secret = Bytes.copyOf(drawn);
      // From then on the partition has a leader.
      BoundRowsContract.this.write(table, put(1_000, 1));
      id = open(leaseMs);
    }

    long open(long leaseMs) {
      byte[] request = Json.encode(new RowSessionControl.Open(leaseMs, secret));
      return Json.decode(
              connection.request(Operation.OPEN_ROW_SESSION, request),
              RowSessionControl.Opened.class)
          .sessionId();
    }

    void reconnect() {
      connection.close();
      connection = raw();
    }

    byte[] named() {
      return Json.encode(new RowSessionControl.Named(id, secret));
    }

    void renew() {
      var unused = connection.request(Operation.RENEW_ROW_SESSION, named());
    }

    byte[] payload(RowPutChange row) {
      SessionProof proof = new SessionProof(id, secret);
      BatchBuilder builder = new BatchBuilder(table.meta().primaryKey(), 256);
      builder.bind(proof);
      builder.setAttributes(proof.addTo(Bytes.EMPTY));
      assertThat(builder.add(row)).isTrue();
      return WriteRequest.encode(table.tableId(), Optional.empty(), builder.build(partition));
    }

    void write(RowPutChange row) {
      WriteResult result = WriteResult.decode(connection.request(Operation.WRITE, payload(row)));
      assertThat(result.appliedRows()).isEqualTo(1);
    }

    void requireEnded(Operation operation, byte[] payload) {
      ErrorPayload refused = connection.refused(operation, payload);
      assertThat(refused.code()).as(refused.message()).isEqualTo(ErrorCode.SESSION_ENDED);
    }
  }
}
