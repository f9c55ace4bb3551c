package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.KeyCodec;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.SessionControl;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that cannot be granted: each is refused by name, and nothing of it is done. */
class BadRequestsTest {

  private static final PrimaryKey KEY = TestTable.key(1, "a");
  private static final RowPutChange ROW = TestTable.put(1, "a", 1);

  @RegisterExtension static final Stage STAGE = new Stage();

  private static CalmServer calm;
  private static int tables;

  private RawClient client;
  private TestTable plan;
  private TableDescription table;

  @BeforeAll
  static void begin() {
    calm = new CalmServer(STAGE);
  }

  @AfterAll
  static void end() {
    calm.requireUndisturbed();
  }

  @BeforeEach
  void connect() {
    client = STAGE.closing(RawClient.greeted(calm.server()));
    plan = new TestTable("rows" + ++tables, 3);
    table =
        client.request(
            Operation.CREATE_TABLE,
            new Control.CreateTable(plan.meta(), plan.splitPoints()),
            TableDescription.class);
  }

  /** Nothing was written, the connection serves on, and so does the server. */
  @AfterEach
  void nothing_was_done() {
    byte[] range =
        new RangeRequest(table.tableId(), Direction.FORWARD, 10, 1_000, Bytes.EMPTY, Bytes.EMPTY)
            .encode();
    assertThat(RowPage.decode(client.request(Operation.GET_RANGE, range)).rows().rowCount())
        .isZero();
    TableDescription now =
        client.request(
            Operation.DESCRIBE_TABLE, new Control.TableName(plan.name()), TableDescription.class);
    assertThat(now.partitions()).allMatch(p -> p.committed() == 0 && p.rowCount() == 0);
    client.close();
    calm.requireHealthy();
  }

  private void requireRefused(byte[] write, ErrorCode code, String text) {
    requireRefused(client.refused(Operation.WRITE, write), code, text);
  }

  private static void requireRefused(ErrorPayload error, ErrorCode code, String text) {
    assertThat(error.code()).as(error.message()).isEqualTo(code);
    assertThat(error.message()).contains(text);
  }

  private int partition(int index) {
    return table.partitions().get(index).id();
  }

  private byte[] write(int tableId, int partition, RowChange... rows) {
    return RawWrite.payload(table.meta(), tableId, partition, List.of(rows));
  }

  @Test
  void rows_for_another_table_or_partition() {
    requireRefused(
        write(1_000_000, partition(0), ROW), ErrorCode.TABLE_NOT_FOUND, "no table with id 1000000");
    requireRefused(
        write(table.tableId(), 1_000_000, ROW),
        ErrorCode.WRONG_PARTITION,
        "read its partition map again");
    requireRefused(
        write(table.tableId(), partition(1), ROW),
        ErrorCode.WRONG_PARTITION,
        "read the table's partition map again");
    requireRefused(
        write(table.tableId(), partition(0), ROW, TestTable.put(1_000, "a", 1)),
        ErrorCode.WRONG_PARTITION,
        "row 1");
  }

  @Test
  void keys_of_another_type_or_number_of_columns() {
    Bytes hash = KeyCodec.encode(PrimaryKeyValue.fromLong(1));
    Bytes text = KeyCodec.encode(PrimaryKeyValue.fromString("1"));
    for (List<Bytes> columns :
        List.of(
            List.of(text, text),
            List.of(hash, hash),
            List.of(hash),
            List.of(hash, text, text),
            List.<Bytes>of())) {
      ByteSink key = new ByteSink(32);
      columns.forEach(key::write);
      Bytes bytes = Bytes.copyOf(key.toByteArray());
      requireRefused(
          raw().row(ChangeKind.PUT.code(), bytes, RawWrite.oneColumn()).payload(),
          ErrorCode.KEY_MISMATCH,
          "row 0");
      byte[] get = new GetRowRequest(table.tableId(), bytes).encode();
      requireRefused(client.refused(Operation.GET_ROW, get), ErrorCode.KEY_MISMATCH, "key");
    }
  }

  private RawWrite raw() {
    return new RawWrite(table).name("v");
  }

  @Test
  void rows_and_batches_over_a_limit() {
    ByteSink value = new ByteSink(64);
    value.writeByte(1);
    value.writeByte(0);
    value.writeByte(5);
    value.writeVarint(Limits.VALUE_BYTES_MAX + 1);
    int at = value.skip(Limits.VALUE_BYTES_MAX + 1);
    assertThat(at).isPositive();
    requireRefused(
        raw().row(ChangeKind.PUT, KEY, value.toByteArray()).payload(),
        ErrorCode.ROW_TOO_LARGE,
        "at most " + Limits.VALUE_BYTES_MAX);
    requireRefused(
        raw().row(ChangeKind.PUT, KEY, new byte[Limits.ROW_BYTES_MAX]).payload(),
        ErrorCode.ROW_TOO_LARGE,
        "at most " + Limits.ROW_BYTES_MAX);
    ByteSink key = new ByteSink(2_048);
    key.write(KeyCodec.encode(PrimaryKeyValue.fromLong(1)));
    key.write(KeyCodec.encode(PrimaryKeyValue.fromString("k".repeat(1_024))));
    byte[] tooLong = key.toByteArray();
    tooLong[tooLong.length - 1] = 'k';
    ByteSink longer = new ByteSink(2_048);
    longer.write(tooLong, 0, tooLong.length);
    longer.writeByte(0);
    requireRefused(
        raw()
            .row(ChangeKind.PUT.code(), Bytes.copyOf(longer.toByteArray()), RawWrite.oneColumn())
            .payload(),
        ErrorCode.ROW_TOO_LARGE,
        "row 0");
    requireRefused(
        raw()
            .row(ChangeKind.PUT, KEY, RawWrite.oneColumn())
            .payload(partition(0), Limits.BATCH_ROWS_MAX + 1),
        ErrorCode.BATCH_TOO_LARGE,
        "at most " + Limits.BATCH_ROWS_MAX);
    byte[] large = new byte[WriteRequest.PREFIX_BYTES + Limits.BATCH_BYTES_MAX + 1];
    Binary.putInt(large, 0, table.tableId());
    Binary.putInt(large, WriteRequest.PREFIX_BYTES, Limits.BATCH_BYTES_MAX - 3);
    requireRefused(large, ErrorCode.BATCH_TOO_LARGE, "" + (Limits.BATCH_BYTES_MAX - 4));
  }

  @Test
  void rows_that_contradict_themselves() {
    byte[] twice = {2, 0, 3, 1, 0, 3, 0};
    requireRefused(
        raw().row(ChangeKind.PUT, KEY, twice).payload(), ErrorCode.INVALID_REQUEST, "'v' twice");
    requireRefused(
        raw().row(ChangeKind.DELETE, KEY, RawWrite.oneColumn()).payload(),
        ErrorCode.INVALID_REQUEST,
        "a DELETE with columns");
    requireRefused(
        raw().row(ChangeKind.UPDATE, KEY, new byte[] {0}).payload(),
        ErrorCode.INVALID_REQUEST,
        "an UPDATE without columns");
    requireRefused(
        raw().row(ChangeKind.PUT, KEY, new byte[] {1, 0, 6}).payload(),
        ErrorCode.INVALID_REQUEST,
        "removes a column");
    requireRefused(
        raw().row(ChangeKind.PUT, KEY, new byte[] {1, 1, 3, 1}).payload(),
        ErrorCode.INVALID_REQUEST,
        "column name 1 of 1");
    requireRefused(
        raw().row(ChangeKind.PUT, KEY, new byte[] {1, 0, 3, 2}).payload(),
        ErrorCode.INVALID_REQUEST,
        "BOOLEAN");
    requireRefused(
        raw().row(ChangeKind.PUT, KEY, new byte[] {1, 0, 4, 1, -1}).payload(),
        ErrorCode.INVALID_REQUEST,
        "");
    requireRefused(
        new RawWrite(table)
            .name("v")
            .name("v")
            .row(ChangeKind.PUT, KEY, new byte[] {2, 0, 3, 1, 1, 3, 0})
            .payload(),
        ErrorCode.INVALID_REQUEST,
        "v");
    requireRefused(raw().payload(), ErrorCode.INVALID_REQUEST, "at least one row");
  }

  @Test
  void bytes_that_changed_on_their_way() {
    byte[] write = write(table.tableId(), partition(0), ROW);
    for (int at = WriteRequest.PREFIX_BYTES + 4; at < write.length; at++) {
      byte[] broken = write.clone();
      broken[at] ^= 0x10;
      requireRefused(broken, ErrorCode.CORRUPT, "checksum");
    }
    byte[] durability = write.clone();
    durability[4] = 9;
    requireRefused(durability, ErrorCode.INVALID_REQUEST, "1 (FSYNC) or 2 (OS)");
  }

  @Test
  void reads_that_cannot_be() {
    byte[] get =
        new GetRowRequest(1_000_000, KeyCodec.encode(KEY, table.meta().primaryKey())).encode();
    requireRefused(
        client.refused(Operation.GET_ROW, get), ErrorCode.TABLE_NOT_FOUND, "no table with id");
    byte[] range =
        new RangeRequest(table.tableId(), Direction.FORWARD, 10, 10, Bytes.EMPTY, Bytes.EMPTY)
            .encode();
    byte[] noRows = range.clone();
    Binary.putInt(noRows, 5, 0);
    requireRefused(
        client.refused(Operation.GET_RANGE, noRows), ErrorCode.INVALID_REQUEST, "0 rows");
    byte[] sideways = range.clone();
    sideways[4] = 2;
    requireRefused(
        client.refused(Operation.GET_RANGE, sideways), ErrorCode.INVALID_REQUEST, "direction 2");
    Binary.putInt(range, 0, 1_000_000);
    requireRefused(
        client.refused(Operation.GET_RANGE, range), ErrorCode.TABLE_NOT_FOUND, "no table with id");
  }

  @Test
  void tables_that_cannot_be() {
    Control.TableName unknown = new Control.TableName("nowhere");
    for (Operation operation :
        List.of(
            Operation.DESCRIBE_TABLE,
            Operation.DROP_TABLE,
            Operation.PARTITION_MAP,
            Operation.LIST_TUNNELS)) {
      requireRefused(
          client.refused(operation, unknown), ErrorCode.TABLE_NOT_FOUND, "no table 'nowhere'");
    }
    requireRefused(create(plan.meta(), List.of()), ErrorCode.TABLE_EXISTS, plan.name());
    TableMeta other = new TestTable("other", 1).meta();
    requireRefused(create(other, points(5, 5)), ErrorCode.INVALID_REQUEST, "must rise");
    requireRefused(create(other, points(5, 4)), ErrorCode.INVALID_REQUEST, "must rise");
    requireRefused(
        create(other, List.of(PrimaryKeyValue.fromString("5"))), ErrorCode.KEY_MISMATCH, "INTEGER");
    List<PrimaryKeyValue> many = new ArrayList<>();
    for (int i = 0; i < Limits.TABLE_PARTITIONS_MAX; i++) {
      many.add(PrimaryKeyValue.fromLong(i));
    }
    requireRefused(
        create(other, many), ErrorCode.INVALID_REQUEST, "at most " + Limits.TABLE_PARTITIONS_MAX);
    assertThat(
            client
                .request(Operation.LIST_TABLES, new Control.Empty(), Control.TableList.class)
                .tables())
        .doesNotContain("other");
  }

  private ErrorPayload create(TableMeta meta, List<PrimaryKeyValue> points) {
    return client.refused(Operation.CREATE_TABLE, new Control.CreateTable(meta, points));
  }

  private static List<PrimaryKeyValue> points(long first, long second) {
    return List.of(PrimaryKeyValue.fromLong(first), PrimaryKeyValue.fromLong(second));
  }

  @Test
  void tunnels_that_cannot_be() {
    Control.TunnelName unknown = new Control.TunnelName(plan.name(), "nowhere");
    for (Operation operation :
        List.of(
            Operation.DESCRIBE_TUNNEL,
            Operation.DELETE_TUNNEL,
            Operation.EXPORT_CHECKPOINTS,
            Operation.PAUSE,
            Operation.RESUME)) {
      requireRefused(
          client.refused(operation, unknown), ErrorCode.TUNNEL_NOT_FOUND, "no tunnel 'nowhere'");
    }
    Control.CreateTunnel create =
        new Control.CreateTunnel(plan.name(), "audit", TunnelType.Stream, StreamStart.LATEST);
    var created = client.request(Operation.CREATE_TUNNEL, create, Control.TunnelInfo.class);
    assertThat(created.tunnel()).isEqualTo("audit");
    requireRefused(
        client.refused(Operation.CREATE_TUNNEL, create), ErrorCode.TUNNEL_EXISTS, "'audit'");
    requireRefused(
        client.refused(
            Operation.CREATE_TUNNEL,
            new Control.CreateTunnel(
                plan.name(),
                "late",
                TunnelType.Stream,
                StreamStart.LATEST,
                Optional.empty(),
                Optional.of(1L))),
        ErrorCode.INVALID_REQUEST,
        "LATEST is now");
    requireRefused(
        client.refused(
            Operation.CREATE_TUNNEL,
            new Control.CreateTunnel(
                plan.name(),
                "late",
                TunnelType.Stream,
                StreamStart.LATEST,
                Optional.of(Long.MAX_VALUE / 1_000),
                Optional.empty())),
        ErrorCode.INVALID_POSITION,
        "from 1970 to now");
    String backwards =
        """
        {"table":"%s","tunnel":"late","type":"Stream","start":"LATEST","startMs":2000,"endMs":2000}"""
            .formatted(plan.name());
    requireRefused(
        client.refused(Operation.CREATE_TUNNEL, backwards.getBytes(StandardCharsets.UTF_8)),
        ErrorCode.INVALID_REQUEST,
        "would end at 1970-01-01T00:00:02Z, not after its start at 1970-01-01T00:00:02Z");
    requireRefused(
        client.refused(
            Operation.CREATE_TUNNEL,
            new Control.CreateTunnel("nowhere", "a", TunnelType.Stream, StreamStart.LATEST)),
        ErrorCode.TABLE_NOT_FOUND,
        "'nowhere'");
    requireRefused(
        client.refused(
            Operation.OPEN_SESSION, new SessionControl.OpenSession("no-such-id", "raw", 1_000, 0)),
        ErrorCode.TUNNEL_NOT_FOUND,
        "no-such-id");
  }
}
