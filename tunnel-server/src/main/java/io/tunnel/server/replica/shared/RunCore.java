package io.tunnel.server.replica.shared;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rebuilds batches from consecutive records: records join a batch while their positions have no
 * hole, their log times are equal, and they name the same columns. A run has two forms: what was
 * changed, for channels, and the rows after that, for the table, which then need not look at the
 * rows before.
 */
public final class RunCore {

  /** Lengths of a row and of its key, and its kind. */
  private static final int ROW_HEADER_BYTES_MAX = 11;

  /** Room that a run of records begins with. */
  private static final int RUN_BYTES_MIN = 4_096;

  private final int partition;
  private final int bytesMax;
  private final List<Run> runs = new ArrayList<>();
  private Open open;

  /** The batch of the row that was added last, if it came of one, and its names. */
  private Optional<ChangeBatch> named = Optional.empty();

  private Optional<RecordValue> namesOfNamed = Optional.empty();

  /**
   * A run.
   *
   * @param changes what was changed; absent for repairs
   * @param rows the rows after it, as puts and deletes; the same object unless there are updates
   */
  public record Run(Optional<ChangeBatch> changes, ChangeBatch rows) {}

  /**
   * The row of a record that counts.
   *
   * @param value absent when the row was deleted
   * @param attributes of the row, put into its batch byte by byte; {@link Bytes#EMPTY} for none
   */
  public record Row(Bytes key, Optional<RecordValue> value, Bytes attributes) {

    /** The row of an entry whose value is decoded. */
    public Row(SharedLog.Entry entry, Optional<RecordValue> value) {
      this(entry.key(), value, ofRow(entry.attributes()));
    }

    /** Who wrote the row is of no interest to those who read its change. */
    private static Bytes ofRow(Bytes attributes) {
      return attributes.length() == 0
          ? attributes
          : Attributes.without(FormatFeature.WRITTEN_BATCH.number(), attributes);
    }

    /** The most that the row takes in a batch. */
    private int bytesMax() {
      int columns =
          value.map(v -> Math.max(v.change().columnsBytes(), v.row().columnsBytes())).orElse(1);
      return ROW_HEADER_BYTES_MAX + key.length() + columns + attributesBytes();
    }

    private int attributesBytes() {
      return attributes.length() == 0 ? 0 : attributes.length() + Attributes.LENGTH_BYTES;
    }
  }

  /** Runs of {@code partition} whose batches have at most {@code bytesMax} bytes where they can. */
  public RunCore(int partition, int bytesMax) {
    this.partition = partition;
    this.bytesMax = Math.min(bytesMax, Limits.BATCH_BYTES_MAX);
  }

  /** Adds a record that counts. */
  public void add(long offset, long micros, boolean isRepair, Row row) {
    if (open == null || !open.accepts(offset, micros, isRepair, row)) {
      close();
      open = new Open(offset, micros, isRepair, RUN_BYTES_MIN);
    }
    open.add(row);
  }

  /** Adds a record that counts, whose row stands in the batch of its writer. */
  public void add(long offset, long micros, boolean isRepair, BatchRow row) {
    Optional<RecordValue> names = namesOf(row.batch());
    if (open == null || !open.accepts(offset, micros, isRepair, row, names)) {
      close();
      // Most often the rest of the batch comes, and nothing else.
      int bytes = row.batch().offset() + row.batch().byteCount() - row.rowOffset();
      open = new Open(offset, micros, isRepair, bytes + ChangeBatch.HEADER_BYTES_MIN);
    }
    open.add(row, names);
  }

  /** Absent when no row of the batch has a column. */
  private Optional<RecordValue> namesOf(ChangeBatch batch) {
    if (named.isEmpty() || named.get() != batch) {
      named = Optional.of(batch);
      namesOfNamed =
          batch.nameCount() == 0 ? Optional.empty() : Optional.of(RecordValue.namesOf(batch));
    }
    return namesOfNamed;
  }

  /** All runs since the last time. */
  public List<Run> take() {
    close();
    named = Optional.empty();
    namesOfNamed = Optional.empty();
    List<Run> taken = List.copyOf(runs);
    runs.clear();
    return taken;
  }

  private void close() {
    if (open != null) {
      runs.add(open.build());
      open = null;
    }
  }

  /** The run that grows. */
  private final class Open {
    private final long first;
    private final long micros;
    private final boolean isRepair;
    private final ByteSink changes;
    private Optional<ByteSink> rows = Optional.empty();
    private Optional<RecordValue> names = Optional.empty();
    private int count;

    Open(long first, long micros, boolean isRepair, int bytes) {
      this.first = first;
      this.micros = micros;
      this.isRepair = isRepair;
      this.changes = new ByteSink(bytes);
      changes.skip(ChangeBatch.HEADER_BYTES_MIN);
    }

    boolean accepts(long offset, long nextMicros, boolean repairs, Row row) {
      return isNext(offset, nextMicros, repairs)
          && !hasOtherNames(row.value())
          && bytesWith(row.bytesMax(), row.value()) <= bytesMax;
    }

    boolean accepts(
        long offset,
        long nextMicros,
        boolean repairs,
        BatchRow row,
        Optional<RecordValue> namesOfRow) {
      return isNext(offset, nextMicros, repairs)
          && !hasOtherNames(namesOfRow)
          && bytesWith(row.rowEnd() - row.rowOffset(), namesOfRow) <= bytesMax;
    }

    private boolean isNext(long offset, long nextMicros, boolean repairs) {
      return offset == first + count
          && nextMicros == micros
          && repairs == isRepair
          && count < Limits.BATCH_ROWS_MAX;
    }

    private boolean hasOtherNames(Optional<RecordValue> value) {
      return value.isPresent() && names.isPresent() && !value.get().hasNamesOf(names.get());
    }

    /** At most so many bytes has the larger form with one more row. */
    private int bytesWith(int rowBytes, Optional<RecordValue> value) {
      int namesBytes =
          names
              .or(() -> value)
              .map(v -> Math.max(v.change().namesBytes(), v.row().namesBytes()))
              .orElse(0);
      int size = Math.max(changes.size(), rows.map(ByteSink::size).orElse(0));
      return size + rowBytes + namesBytes;
    }

    void add(Row row) {
      boolean isUpdate = row.value().isPresent() && row.value().get().isUpdate();
      if (isUpdate && rows.isEmpty()) {
        ByteSink replica = new ByteSink(changes.array().length);
        replica.write(changes.array(), 0, changes.size());
        rows = Optional.of(replica);
      }
      ChangeKind changed = isUpdate ? ChangeKind.UPDATE : ChangeKind.PUT;
      write(changes, changed, row, row.value().map(RecordValue::change));
      rows.ifPresent(sink -> write(sink, ChangeKind.PUT, row, row.value().map(RecordValue::row)));
      names = names.or(row::value);
      count++;
    }

    /** A put or a delete: the bytes of the row are those of its batch, in both forms. */
    void add(BatchRow row, Optional<RecordValue> namesOfRow) {
      byte[] array = row.batch().array();
      int bytes = row.rowEnd() - row.rowOffset();
      changes.write(array, row.rowOffset(), bytes);
      rows.ifPresent(sink -> sink.write(array, row.rowOffset(), bytes));
      names = names.or(() -> namesOfRow);
      count++;
    }

    private static void write(
        ByteSink sink, ChangeKind kind, Row row, Optional<RecordValue.Part> part) {
      Bytes key = row.key();
      int columnsBytes = part.map(RecordValue.Part::columnsBytes).orElse(1);
      sink.writeVarint(
          1
              + Binary.varintBytes(key.length())
              + key.length()
              + columnsBytes
              + row.attributesBytes());
      int code = part.isPresent() ? kind.code() : ChangeKind.DELETE.code();
      boolean hasAttributes = row.attributes().length() > 0;
      sink.writeByte(hasAttributes ? code | RowCursor.ATTRIBUTES_FLAG : code);
      sink.writeVarint(key.length());
      sink.write(key);
      if (part.isPresent()) {
        sink.write(row.value().orElseThrow().array(), part.get().columnsOffset(), columnsBytes);
      } else {
        sink.writeVarint(0);
      }
      if (hasAttributes) {
        Attributes.writeBehind(sink, row.attributes());
      }
    }

    Run build() {
      ChangeBatch changed = build(changes, names.map(RecordValue::change));
      ChangeBatch after =
          rows.map(sink -> build(sink, names.map(RecordValue::row))).orElse(changed);
      return new Run(isRepair ? Optional.empty() : Optional.of(changed), after);
    }

    private ChangeBatch build(ByteSink sink, Optional<RecordValue.Part> part) {
      int rowsBytes = sink.size() - ChangeBatch.HEADER_BYTES_MIN;
      part.ifPresent(p -> sink.write(names.orElseThrow().array(), p.namesOffset(), p.namesBytes()));
      byte[] array = sink.toByteArray();
      int nameCount = part.map(RecordValue.Part::nameCount).orElse(0);
      BatchBuilder.writeHeader(array, 0, array.length, nameCount, partition, count, rowsBytes);
      BatchBuilder.stamp(array, 0, first, micros);
      return ChangeBatch.parse(array, 0, array.length);
    }
  }
}
