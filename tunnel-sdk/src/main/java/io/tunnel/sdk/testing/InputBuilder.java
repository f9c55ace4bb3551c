package io.tunnel.sdk.testing;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.ProcessRecordsInput.Extent;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes what a processor is given, for a test of the processor alone: no service, no worker, no
 * connection. The records are as the SDK delivers them.
 *
 * <pre>{@code
 * processor.process(InputBuilder.input().add(new RowPutChange(key, columns)).build());
 * }</pre>
 *
 * <p>Without more it is an input of partition 0, whose first change has position 0 and was
 * committed at 2000-01-01T00:00:00Z, and behind which more may come.
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

  /** The next change; its position is one above that of the change before. */
  public InputBuilder add(RowChange change) {
    changes.add(change);
    return this;
  }

  /** The channel that the input is of. */
  public InputBuilder channel(String id) {
    channelId = id;
    return this;
  }

  /** The input is of a base channel, whose rows are PUTs; default is a stream channel. */
  public InputBuilder ofBaseData() {
    type = ChannelType.BaseData;
    return this;
  }

  /** The partition of the changes. */
  public InputBuilder partition(int number) {
    partition = number;
    return this;
  }

  /** The position of the first change. */
  public InputBuilder firstPosition(long position) {
    firstPosition = position;
    return this;
  }

  /** When the changes were committed, in microseconds since 1970. */
  public InputBuilder commitMicros(long micros) {
    commitMicros = micros;
    return this;
  }

  /** Nothing comes behind these changes: the input has no token. */
  public InputBuilder last() {
    isLast = true;
    return this;
  }

  /**
   * The input.
   *
   * @throws IllegalArgumentException when a change is over a limit, and when their keys differ in
   *     names or types
   * @throws IllegalStateException when there is no change, or they are more than one batch takes
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
      if (!builder.add(change)) {
        throw new IllegalStateException("one batch takes no more than " + builder.rowCount());
      }
    }
    byte[] bytes = builder.build(partition, firstPosition, commitMicros);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  private static List<PrimaryKeySchema> schemaOf(PrimaryKey key) {
    List<PrimaryKeySchema> schema = new ArrayList<>();
    for (PrimaryKeyColumn column : key.getPrimaryKeyColumns()) {
      schema.add(new PrimaryKeySchema(column.getName(), column.getValue().getType()));
    }
    return schema;
  }
}
