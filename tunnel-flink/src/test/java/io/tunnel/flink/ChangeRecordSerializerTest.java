package io.tunnel.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.flink.source.GoldenState;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class ChangeRecordSerializerTest {

  private static final ChangeRecord RECORD =
      new ChangeRecord(
          RecordType.UPDATE,
          7,
          1_000,
          9,
          PrimaryKey.builder().add("h", new byte[] {0, -1}).add("s", "ü").add("i", -2).build(),
          List.of(
              RecordColumn.put(new Column("a", ColumnValue.fromLong(1))),
              RecordColumn.put(new Column("b", ColumnValue.fromDouble(1.5))),
              RecordColumn.put(new Column("c", ColumnValue.fromBoolean(true))),
              RecordColumn.put(new Column("d", ColumnValue.fromString("x"))),
              RecordColumn.put(new Column("e", ColumnValue.fromBinary(new byte[] {5}))),
              RecordColumn.deleted("f")));

  private final TypeSerializer<ChangeRecord> serializer =
      new ChangeRecordTypeInfo().createSerializer(new SerializerConfigImpl());

  private byte[] bytes(ChangeRecord record) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(record, out);
    return out.getCopyOfBuffer();
  }

  @Test
  void a_record_has_the_bytes_of_version_1() throws IOException {
    byte[] golden = GoldenState.bytes("change-record-v1.hex");
    assertThat(Bytes.copyOf(bytes(RECORD))).isEqualTo(Bytes.copyOf(golden));
    assertThat(serializer.deserialize(new DataInputDeserializer(golden))).isEqualTo(RECORD);
    DataOutputSerializer copied = new DataOutputSerializer(64);
    serializer.copy(new DataInputDeserializer(golden), copied);
    assertThat(Bytes.copyOf(copied.getCopyOfBuffer())).isEqualTo(Bytes.copyOf(golden));
    for (RecordType type : RecordType.values()) {
      ChangeRecord other = new ChangeRecord(type, 1, 2, 3, RECORD.key(), List.of());
      assertThat(serializer.deserialize(new DataInputDeserializer(bytes(other)))).isEqualTo(other);
    }
  }

  @Test
  void a_deletion_by_the_server_keeps_its_cause() throws IOException {
    for (DeletionCause cause : DeletionCause.values()) {
      ChangeRecord expired =
          new ChangeRecord(RecordType.DELETE, 1, 2, 3, RECORD.key(), List.of(), Optional.of(cause));
      assertThat(serializer.deserialize(new DataInputDeserializer(bytes(expired))))
          .isEqualTo(expired)
          .isNotEqualTo(new ChangeRecord(RecordType.DELETE, 1, 2, 3, RECORD.key(), List.of()));
      assertThatThrownBy(
              () ->
                  new ChangeRecord(
                      RecordType.PUT, 1, 2, 3, RECORD.key(), List.of(), Optional.of(cause)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(cause + ", of a change of type PUT");
    }
  }

  @Test
  void what_is_cut_off_or_has_tags_that_nobody_knows_is_refused() throws IOException {
    byte[] bytes = bytes(RECORD);
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> serializer.deserialize(new DataInputDeserializer(cut)))
          .isInstanceOf(IOException.class);
    }
    byte[] type = bytes.clone();
    type[0] = 9;
    assertThatThrownBy(() -> serializer.deserialize(new DataInputDeserializer(type)))
        .hasMessageContaining("unknown type 9");
  }

  @Test
  void a_snapshot_of_the_serializer_brings_it_back() throws IOException {
    TypeSerializerSnapshot<ChangeRecord> snapshot = serializer.snapshotConfiguration();
    DataOutputSerializer out = new DataOutputSerializer(64);
    TypeSerializerSnapshot.writeVersionedSnapshot(out, snapshot);
    TypeSerializerSnapshot<ChangeRecord> read =
        TypeSerializerSnapshot.readVersionedSnapshot(
            new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
    assertThat(read.restoreSerializer()).isEqualTo(serializer);
    assertThat(new ChangeRecordTypeInfo()).isEqualTo(new ChangeRecordTypeInfo());
    assertThat(serializer.createInstance().columns()).isEmpty();
  }
}
