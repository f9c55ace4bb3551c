package io.tunnel.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ExpiredRows;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.flink.ChangeRecord;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.connector.testutils.formats.DummyInitializationContext;
import org.junit.jupiter.api.Test;

class JsonDeserializationSchemaTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(
          new PrimaryKeySchema("h", PrimaryKeyType.BINARY),
          new PrimaryKeySchema("i", PrimaryKeyType.INTEGER));

  @Test
  void a_change_is_one_line_that_says_all_of_it() {
    PrimaryKey key = PrimaryKey.builder().add("h", new byte[] {0, -1}).add("i", -2).build();
    BatchBuilder rows = new BatchBuilder(SCHEMA, 512);
    assertThat(
            rows.add(
                new RowUpdateChange(
                    key,
                    List.of(
                        new ColumnUpdate.Put("city", ColumnValue.fromString("Köln <1>")),
                        new ColumnUpdate.Put("n", ColumnValue.fromLong(Long.MAX_VALUE)),
                        new ColumnUpdate.Put("d", ColumnValue.fromDouble(1.5)),
                        new ColumnUpdate.Put("nan", ColumnValue.fromDouble(Double.NaN)),
                        new ColumnUpdate.Put("b", ColumnValue.fromBoolean(true)),
                        new ColumnUpdate.Put("x", ColumnValue.fromBinary(new byte[] {1})),
                        new ColumnUpdate.Delete("gone")),
                    RowExistenceExpectation.IGNORE)))
        .isTrue();
    assertThat(rows.add(new RowDeleteChange(key, RowExistenceExpectation.IGNORE))).isTrue();
    byte[] bytes = rows.build(7, 1_000, 9);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    List<String> lines = new ArrayList<>();
    JsonDeserializationSchema schema = new JsonDeserializationSchema();
    schema.open(new DummyInitializationContext());
    RowCursor row = batch.rows();
    for (long position = 1_000; row.next(); position++) {
      schema.deserialize(
          new StreamRecord(batch, row.rowOffset(), position, SCHEMA), new ListCollector<>(lines));
    }
    assertThat(lines)
        .containsExactly(
            "{\"type\":\"UPDATE\",\"partition\":7,\"position\":1000,\"commitMicros\":9,"
                + "\"key\":{\"h\":\"AP8=\",\"i\":-2},\"columns\":{\"city\":\"Köln <1>\","
                + "\"n\":9223372036854775807,\"d\":1.5,\"nan\":\"NaN\",\"b\":true,\"x\":\"AQ==\","
                + "\"gone\":null}}",
            "{\"type\":\"DELETE\",\"partition\":7,\"position\":1001,\"commitMicros\":9,"
                + "\"key\":{\"h\":\"AP8=\",\"i\":-2},\"columns\":{}}");
  }

  @Test
  void a_deletion_by_the_server_says_its_cause() throws Exception {
    PrimaryKey key = PrimaryKey.builder().add("h", new byte[] {0, -1}).add("i", -2).build();
    JsonDeserializationSchema json = new JsonDeserializationSchema();
    json.open(new DummyInitializationContext());
    ChangeRecordDeserializationSchema whole = new ChangeRecordDeserializationSchema();
    for (DeletionCause cause : DeletionCause.values()) {
      ChangeBatch batch = ExpiredRows.of(cause, 7, List.of(KeyCodec.encode(key, SCHEMA)));
      RowCursor row = batch.rows();
      assertThat(row.next()).isTrue();
      StreamRecord record = new StreamRecord(batch, row.rowOffset(), 1_000, SCHEMA);
      List<String> lines = new ArrayList<>();
      json.deserialize(record, new ListCollector<>(lines));
      assertThat(lines).singleElement().asString().contains("\"cause\":\"" + cause + "\"");
      List<ChangeRecord> records = new ArrayList<>();
      whole.deserialize(record, new ListCollector<>(records));
      assertThat(records)
          .extracting(ChangeRecord::deletionCause)
          .containsExactly(Optional.of(cause));
    }
  }
}
