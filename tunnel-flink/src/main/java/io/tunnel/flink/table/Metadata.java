package io.tunnel.flink.table;

import io.tunnel.sdk.processor.StreamRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;

/** Metadata of a change, as read-only columns of a SQL table. */
enum Metadata {
  /** PUT, UPDATE or DELETE. */
  CHANGE_TYPE("change_type", DataTypes.STRING().notNull()) {
    @Override
    Object read(StreamRecord record) {
      return StringData.fromString(record.getRecordType().name());
    }
  },
  /** The order of the change inside its partition. */
  POSITION("position", DataTypes.BIGINT().notNull()) {
    @Override
    Object read(StreamRecord record) {
      return record.position();
    }
  },
  /** The commit time. */
  COMMIT_TIME("commit_time", DataTypes.TIMESTAMP_LTZ(6).notNull()) {
    @Override
    Object read(StreamRecord record) {
      long micros = record.commitMicros();
      return TimestampData.fromEpochMillis(
          Math.floorDiv(micros, 1_000), (int) Math.floorMod(micros, 1_000L) * 1_000);
    }
  },
  /** The partition of the row. */
  PARTITION("partition", DataTypes.INT().notNull()) {
    @Override
    Object read(StreamRecord record) {
      return record.partition();
    }
  },
  /** Why the server deleted the row; null where a client did, and of other changes. */
  DELETE_CAUSE("delete_cause", DataTypes.STRING()) {
    @Override
    Object read(StreamRecord record) {
      return record.isExpired() ? StringData.fromString("EXPIRED") : null;
    }
  };

  private final String key;

  /** Flink's types are immutable, but lack the annotation of Error Prone. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final DataType dataType;

  Metadata(String key, DataType dataType) {
    this.key = key;
    this.dataType = dataType;
  }

  DataType dataType() {
    return dataType;
  }

  /** The value in Flink's internal form. */
  abstract Object read(StreamRecord record);

  /** All metadata by name, for Flink. */
  static Map<String, DataType> all() {
    Map<String, DataType> all = new LinkedHashMap<>();
    for (Metadata metadata : values()) {
      all.put(metadata.key, metadata.dataType);
    }
    return all;
  }

  static List<Metadata> ofKeys(List<String> keys) {
    return keys.stream().map(Metadata::ofKey).toList();
  }

  private static Metadata ofKey(String key) {
    for (Metadata metadata : values()) {
      if (metadata.key.equals(key)) {
        return metadata;
      }
    }
    throw new ValidationException("no metadata column '" + key + "'; there are " + all().keySet());
  }
}
