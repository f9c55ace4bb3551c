package io.tunnel.server.net;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.model.Direction;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.net.access.Shares.Use;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each request costs its principal's quota what it writes and what it learns, and that once. */
final class ChargedRequestsTest {

  private static final long SECOND_NANOS = 1_000_000_000;
  private static final int VALUE_BYTES = 10_000;

  /** Bytes of a key, a name and the frame of an answer, at most. */
  private static final int BESIDES_BYTES = 200;

  /** How a client learns the value of a row. */
  private enum Learning {
    BY_KEY(Operation.GET_ROW),
    BY_KEYS(Operation.GET_ROWS),
    IN_A_RANGE(Operation.GET_RANGE),
    BY_A_CONDITION(Operation.WRITE),
    BY_AN_UPDATE_THAT_RETURNS_IT(Operation.WRITE),
    BY_A_CONDITION_AND_RETURNED(Operation.WRITE);

    private final Operation operation;

    Learning(Operation operation) {
      this.operation = operation;
    }
  }

  @TempDir private Path directory;
  private TestGate security;
  private TestNode node;
  private RawClient bob;
  private int here;

  @BeforeEach
  void open() throws IOException {
    security = new TestGate();
    node = TestNode.gated(directory, security.gate);
    node.view.level(2);
    here = TestNode.first(node.mine);
    security.allow("bob", "table:mine", "read", "write");
    bob = node.client();
    bob.authenticate(security.create("bob"));
    write(put("a", new Column("v", ColumnValue.fromBinary(new byte[VALUE_BYTES]))), put("b"));
  }

  @AfterEach
  void close() throws IOException {
    bob.close();
    node.close();
  }

  private void write(RowChange... rows) throws IOException {
    byte[] unused = bob.granted(Operation.WRITE, TestNode.write(node.mine, here, rows));
  }

  private void quota(QuotaChange change) throws IOException {
    Control unused =
        security.administration.setQuota(Json.encode(change), security.caller("admin"));
  }

  /**
   * What a request costs by a limit, by a quota of one a second: the first second is free, so a
   * cost of 1 cannot be told from none.
   */
  private long cost(String limit, Use use, Operation operation, byte[] payload) throws IOException {
    quota(new QuotaChange("bob", List.of(new QuotaLimit(limit, 1)), List.of()));
    byte[] unused = bob.granted(operation, payload);
    long owedNanos = node.shares().owedBefore(security.caller("bob"), "mine", use);
    quota(new QuotaChange("bob", List.of(), List.of(QuotaChange.ALL)));
    return owedNanos / SECOND_NANOS + 1;
  }

  private byte[] request(Learning learning) {
    RowChange update =
        new RowUpdateChange(key("a"), List.of(new ColumnUpdate.Put("n", ColumnValue.fromLong(1))));
    Condition condition = Condition.parse("exists v");
    int table = node.mine.tableId();
    return switch (learning) {
      case BY_KEY -> new GetRowRequest(table, keyBytes("a")).encode();
      case BY_KEYS -> new GetRowsRequest(table, List.of(keyBytes("a")), ReadTerms.BOUNDED).encode();
      case IN_A_RANGE ->
          new RangeRequest(table, Direction.FORWARD, 1, 1 << 20, Bytes.EMPTY, Bytes.EMPTY).encode();
      case BY_A_CONDITION -> TestNode.write(node.mine, here, update.onlyIf(condition));
      case BY_AN_UPDATE_THAT_RETURNS_IT ->
          TestNode.write(node.mine, here, update.returning(Returning.columns("v")));
      case BY_A_CONDITION_AND_RETURNED ->
          TestNode.write(
              node.mine, here, update.onlyIf(condition).returning(Returning.columns("v")));
    };
  }

  @ParameterizedTest
  @EnumSource
  void a_row_is_paid_once_however_it_is_learned(Learning learning) throws IOException {
    byte[] request = request(learning);
    assertThat(cost("readBytesPerSecond", Use.READ, learning.operation, request))
        .isBetween((long) VALUE_BYTES, (long) VALUE_BYTES + BESIDES_BYTES);
    assertThat(cost("readRowsPerSecond", Use.READ, learning.operation, request)).isOne();
  }

  @Test
  void a_write_costs_its_rows_and_the_bytes_of_its_request_and_no_read() throws IOException {
    byte[] request = TestNode.write(node.mine, here, put("a"), put("b"), put("c"));
    assertThat(cost("writtenRowsPerSecond", Use.WRITTEN, Operation.WRITE, request)).isEqualTo(3);
    assertThat(cost("writtenBytesPerSecond", Use.WRITTEN, Operation.WRITE, request))
        .isEqualTo(request.length);
    assertThat(cost("readRowsPerSecond", Use.READ, Operation.WRITE, request)).isOne();
    assertThat(cost("readBytesPerSecond", Use.READ, Operation.WRITE, request)).isOne();
  }

  @Test
  void rows_that_are_learned_together_are_all_paid() throws IOException {
    byte[] both =
        new GetRowsRequest(
                node.mine.tableId(),
                List.of(keyBytes("a"), keyBytes("b"), keyBytes("c")),
                ReadTerms.BOUNDED)
            .encode();
    assertThat(cost("readRowsPerSecond", Use.READ, Operation.GET_ROWS, both)).isEqualTo(3);
  }

  @Test
  void a_written_value_that_is_returned_is_paid_as_a_read_too() throws IOException {
    RowChange row = put("d", new Column("v", ColumnValue.fromBinary(new byte[VALUE_BYTES])));
    byte[] request = TestNode.write(node.mine, here, row.returning(Returning.columns("v")));
    assertThat(cost("readBytesPerSecond", Use.READ, Operation.WRITE, request))
        .isBetween((long) VALUE_BYTES, (long) VALUE_BYTES + BESIDES_BYTES);
  }
}
