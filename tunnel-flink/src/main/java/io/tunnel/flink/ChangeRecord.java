package io.tunnel.flink;

import io.tunnel.model.PrimaryKey;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.util.List;
import java.util.Objects;

/**
 * A change as a value that Flink can send and keep, with the type information of {@link
 * ChangeRecordTypeInfo}. A row of base data is a PUT.
 *
 * @param type what it does to its row
 * @param partition of the row
 * @param position order inside the partition; of base data, the count of the row
 * @param commitMicros when it was committed, in microseconds since 1970
 * @param key of the row
 * @param columns what is done to them
 */
public record ChangeRecord(
    RecordType type,
    int partition,
    long position,
    long commitMicros,
    PrimaryKey key,
    List<RecordColumn> columns) {

  /** Refuses null and copies the list. */
  public ChangeRecord {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(key, "key");
    columns = List.copyOf(columns);
  }

  /** The change that the SDK delivered, decoded. */
  public static ChangeRecord of(StreamRecord record) {
    return new ChangeRecord(
        record.getRecordType(),
        record.partition(),
        record.position(),
        record.commitMicros(),
        record.getPrimaryKey(),
        record.getColumns());
  }
}
