package io.tunnel.flink;

import io.tunnel.model.DeletionCause;
import io.tunnel.model.PrimaryKey;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A change as a value that Flink can send and keep, with the type information of {@link
 * ChangeRecordTypeInfo}. A row of base data is a PUT.
 *
 * @param type the kind of the change
 * @param partition the partition of the row
 * @param position the position in the partition; for base data, the number of the row
 * @param commitMicros the commit time, in microseconds since 1970
 * @param key the key of the row
 * @param columns the changed columns
 * @param deletionCause why the server deleted the row by itself; empty for a change of a client,
 *     and for a PUT and an UPDATE
 */
public record ChangeRecord(
    RecordType type,
    int partition,
    long position,
    long commitMicros,
    PrimaryKey key,
    List<RecordColumn> columns,
    Optional<DeletionCause> deletionCause) {

  /** Refuses null and a cause of a change that deletes nothing, and copies the list. */
  public ChangeRecord {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(key, "key");
    columns = results(columns);
    if (deletionCause.isPresent() && type != RecordType.DELETE) {
      throw new IllegalArgumentException(
          "a cause of deletion, " + deletionCause.get() + ", of a change of type " + type);
    }
  }

  /** A change of a client. */
  public ChangeRecord(
      RecordType type,
      int partition,
      long position,
      long commitMicros,
      PrimaryKey key,
      List<RecordColumn> columns) {
    this(type, partition, position, commitMicros, key, columns, Optional.empty());
  }

  /** What increments added stays behind: the serialized form of a record has the results alone. */
  private static List<RecordColumn> results(List<RecordColumn> columns) {
    return columns.stream()
        .map(column -> column.delta().isEmpty() ? column : RecordColumn.put(column.getColumn()))
        .toList();
  }

  /** Decodes a change that the SDK delivered. */
  public static ChangeRecord of(StreamRecord record) {
    return new ChangeRecord(
        record.getRecordType(),
        record.partition(),
        record.position(),
        record.commitMicros(),
        record.getPrimaryKey(),
        record.getColumns(),
        record.deletionCause());
  }
}
