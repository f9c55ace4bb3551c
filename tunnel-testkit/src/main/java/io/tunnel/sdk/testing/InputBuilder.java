package io.tunnel.sdk.testing;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Increments;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.ProcessRecordsInput.Extent;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds the input of a processor, for a test of the processor alone: without a service, a worker
 * or a connection. The records are as the SDK delivers them.
 *
 * <pre>{@code
 * processor.process(InputBuilder.input().add(new RowPutChange(key, columns)).build());
 * }</pre>
 *
 * <p>By default, the input is for partition 0, its first change has position 0 and the commit time
 * 2000-01-01T00:00:00Z, and more inputs may follow.
 */
public final class InputBuilder {

  /** 2000-01-01T00:00:00Z. */
  private static final long COMMIT_MICROS = 946_684_800_000_000L;

  private final List<RowChange> changes = new ArrayList<>();
  private String channelId = "0_test";
  private ChannelType type = ChannelType.Stream;
  private int partition;
  private long firstPosition;
  private long commitMicros = COMMIT_MICROS;
  private boolean isLast;

  private InputBuilder() {}

  /** An input without changes yet. */
  public static InputBuilder input() {
    return new InputBuilder();
  }

  /** Adds a change at the next position. Its increments count from 0. */
  public InputBuilder add(RowChange change) {
    changes.add(change);
    return this;
  }

  /** Sets the channel of the input. */
  public InputBuilder channel(String id) {
    channelId = id;
    return this;
  }

  /** Makes the input belong to a base channel, whose rows are PUTs; default is a stream channel. */
  public InputBuilder ofBaseData() {
    type = ChannelType.BaseData;
    return this;
  }

  /** Sets the partition of the changes. */
  public InputBuilder partition(int number) {
    partition = number;
    return this;
  }

  /** Sets the position of the first change. */
  public InputBuilder firstPosition(long position) {
    firstPosition = position;
    return this;
  }

  /** Sets the commit time of the changes, in microseconds since 1970. */
  public InputBuilder commitMicros(long micros) {
    commitMicros = micros;
    return this;
  }

  /** Makes this the last input of its channel: it has no token. */
  public InputBuilder last() {
    isLast = true;
    return this;
  }

  /**
   * The input.
   *
   * @throws IllegalArgumentException when a change exceeds a limit, or the keys differ in names or
   *     types
   * @throws IllegalStateException without a change, or with more changes than fit a batch
   */
  public ProcessRecordsInput build() {
    if (changes.isEmpty()) {
      throw new IllegalStateException("an input has at least one change: add(change)");
    }
    List<PrimaryKeySchema> schema = schemaOf(changes.get(0).primaryKey());
    ChangeBatch batch = batch(schema);
    KeyDecoder keys = new KeyDecoder(schema);
    List<StreamRecord> records = new ArrayList<>(changes.size());
    for (RowCursor row = batch.rows(); row.next(); ) {
      records.add(new StreamRecord(row, firstPosition + row.index(), keys));
    }
    return new ProcessRecordsInput(
        List.copyOf(records),
        isLast ? null : Long.toString(batch.lastPosition()),
        channelId + "/1/" + firstPosition,
        channelId,
        new Extent(commitMicros, commitMicros, batch.rowsBytes()),
        type);
  }

  private ChangeBatch batch(List<PrimaryKeySchema> schema) {
    BatchBuilder builder = new BatchBuilder(schema, 1_024);
    for (RowChange change : changes) {
      if (!add(builder, change)) {
        throw new IllegalStateException("one batch takes no more than " + builder.rowCount());
      }
    }
    byte[] bytes = builder.build(partition, firstPosition, commitMicros);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  private static boolean add(BatchBuilder builder, RowChange change) {
    Optional<Increments> added =
        change instanceof RowUpdateChange update ? Increments.of(update) : Optional.empty();
    return added.isEmpty()
        ? builder.add(change)
        : builder.addWithin(
            Limits.BATCH_BYTES_MAX, applied((RowUpdateChange) change), added.get().toLog());
  }

  private static RowUpdateChange applied(RowUpdateChange change) {
    return new RowUpdateChange(
        change.primaryKey(),
        change.updates().stream()
            .map(
                update ->
                    update instanceof ColumnUpdate.Increment increment
                        ? new ColumnUpdate.Put(
                            increment.name(), ColumnValue.fromLong(increment.delta()))
                        : update)
            .toList());
  }

  private static List<PrimaryKeySchema> schemaOf(PrimaryKey key) {
    List<PrimaryKeySchema> schema = new ArrayList<>();
    for (PrimaryKeyColumn column : key.getPrimaryKeyColumns()) {
      schema.add(new PrimaryKeySchema(column.getName(), column.getValue().getType()));
    }
    return schema;
  }
}
