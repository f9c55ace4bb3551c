package io.tunnel.sdk.testing.table;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ExpiredRows;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.RowsToJudge;
import io.tunnel.core.WriterCore;
import io.tunnel.core.WriterCore.Answered;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Returning;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ReturnedRows;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import io.tunnel.wire.WriterToken;
import io.tunnel.wire.control.Control.PartitionDescription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A range of a table: its rows by key, and every change since the first. */
public final class MemoryPartition {

  private final int id;
  private final Bytes from;
  private final Bytes to;
  private final List<PrimaryKeySchema> schema;
  private final NavigableMap<Bytes, Row> rows = new TreeMap<>();
  private final List<ChangeBatch> changes = new ArrayList<>();

  /** By key, the session of rows that are bound. */
  private final NavigableMap<Bytes, Long> bound = new TreeMap<>();

  /** The batches of writers that number, in the order of their changes. */
  private final List<Written> numbered = new ArrayList<>();

  private WriterCore writers = new WriterCore();

  /** A numbered batch whose changes were applied. */
  private record Written(Bytes writer, Answered answered) {}

  /** The largest number that the AUTO column of the keys ever had; it never falls. */
  private long number;

  private long committed;
  private long synced;

  /** By incarnation, the position of the last change at its start. */
  private final NavigableMap<Long, Long> incarnations = new TreeMap<>();

  /** A partition of keys from {@code from} and below {@code to}, without rows. */
  public MemoryPartition(int id, Bytes from, Bytes to, List<PrimaryKeySchema> schema) {
    this.id = id;
    this.from = from;
    this.to = to;
    this.schema = schema;
  }

  /** The id of the partition. */
  public int id() {
    return id;
  }

  /** The lowest key of the partition, inclusive; empty for no bound. */
  public Bytes from() {
    return from;
  }

  /** The highest key of the partition, exclusive; empty for no bound. */
  public Bytes to() {
    return to;
  }

  /** The position of the newest change; 0 without changes. */
  public long committed() {
    return committed;
  }

  /** The present rows, by encoded key. */
  public NavigableMap<Bytes, Row> rows() {
    return rows;
  }

  /** The stamped batches of changes, in order. */
  public List<ChangeBatch> changes() {
    return changes;
  }

  /**
   * Applies the legal rows of a batch, as one commit.
   *
   * @param mustSync whether this and all earlier batches survive a crash
   * @throws RefusedException when the batch does not fit the table or the range
   */
  public WriteResult write(ChangeBatch batch, boolean mustSync, VirtualTime time) {
    BatchValidator.Checked checked = new BatchValidator(schema).require(batch, from, to);
    Optional<Numbered> writer =
        checked
            .writer()
            .map(
                by ->
                    new Numbered(new WriterToken(by.token()).writer(""), by.number(), by.after()));
    if (writer.isPresent()) {
      WriterCore.Verdict verdict = writers.judge(writer.get(), time.micros());
      if (verdict instanceof WriterCore.Verdict.Repeated repeated) {
        synced = mustSync ? committed : synced;
        return WriteResult.decode(repeated.answered().answer().toByteArray());
      } else if (verdict instanceof WriterCore.Verdict.Ended ended) {
        throw RefusedException.writerEnded(ended.why(), ended.dateMicros());
      }
    }
    checked.session().ifPresent(proof -> requireRoom(batch, proof.session()));
    List<DecodedRow> applied = new ArrayList<>();
    List<Rejection> rejections = new ArrayList<>();
    long commitMicros = time.nextCommitMicros();
    ReturnedRows returned = new ReturnedRows();
    NavigableMap<Bytes, Row> before = batch.isAtomic() ? new TreeMap<>(rows) : rows;
    Optional<AutoNumbers.Numbered> numbering =
        AutoNumbers.of(schema)
            .filter(auto -> AutoNumbers.areAsked(batch))
            .flatMap(auto -> auto.number(batch, number));
    RowsToJudge judging = new RowsToJudge(numbering.map(AutoNumbers.Numbered::batch).orElse(batch));
    boolean hasNumbered = false;
    while (judging.next() && !(batch.isAtomic() && !rejections.isEmpty())) {
      RowCursor row = judging.row();
      Optional<ErrorCode> refusal =
          row.isAuto() && numbering.isEmpty()
              ? Optional.of(ErrorCode.INTEGER_OVERFLOW)
              : apply(row, commitMicros, applied);
      hasNumbered |= refusal.isEmpty() && row.isAuto();
      refusal.ifPresent(code -> rejections.add(new Rejection(row.index(), code)));
      take(row, refusal.isEmpty(), returned);
    }
    if (batch.isAtomic() && !rejections.isEmpty()) {
      Rejection refused = rejections.get(0);
      rejections.clear();
      rejections.addAll(refused.ofAll(batch.rowCount()));
      returned.keepOnly(refused.rowIndex());
      applied.clear();
      hasNumbered = false;
      rows.clear();
      rows.putAll(before);
    }
    long first = committed + 1;
    if (!applied.isEmpty()) {
      append(batchOf(applied, batch.isAtomic(), first, commitMicros));
    }
    synced = mustSync ? committed : synced;
    WriteResult result =
        new WriteResult(first, applied.size(), rejections)
            .returning(returned.rows())
            .numbered(
                hasNumbered
                    ? OptionalLong.of(numbering.orElseThrow().first())
                    : OptionalLong.empty());
    writer.ifPresent(by -> answered(by, result.again(batch), commitMicros));
    return result;
  }

  /** Takes what the row at the cursor, which was judged, returns. */
  private void take(RowCursor at, boolean isApplied, ReturnedRows returned) {
    Optional<Returning> asked = at.returning();
    if (asked.isPresent()) {
      Bytes key = Bytes.copyOf(at.batch().array(), at.keyOffset(), at.keyBytes());
      Row row = rows.get(key);
      Map<String, Bytes> columns = row == null ? Map.of() : RowAnswer.columns(row, schema);
      returned.take(
          at.index(),
          asked.get(),
          isApplied,
          row != null,
          name -> Optional.ofNullable(columns.get(name)));
    }
  }

  private void answered(Numbered by, WriteResult result, long micros) {
    Answered answered =
        new Answered(
            by.number(),
            result.firstPosition(),
            result.appliedRows(),
            Bytes.copyOf(result.encode()),
            micros);
    if (result.appliedRows() > 0) {
      writers.applied(by.writer(), answered);
      numbered.add(new Written(by.writer(), answered));
    } else {
      writers.rejected(by.writer(), answered);
    }
  }

  /** Batches of writers that number are known as far as their changes are there. */
  private void forgetLostWriters() {
    numbered.removeIf(each -> each.answered().position() > synced);
    writers = new WriterCore();
    numbered.forEach(each -> writers.applied(each.writer(), each.answered()));
  }

  /** Applies the row at the cursor and adds the row to {@code applied}, or says why not. */
  private Optional<ErrorCode> apply(RowCursor at, long commitMicros, List<DecodedRow> applied) {
    DecodedRow row = DecodedRow.of(at, schema);
    Optional<Row> stored = Optional.ofNullable(rows.get(row.key()));
    if (!row.mayChange(stored, schema)) {
      return Optional.of(ErrorCode.CONDITION_FAILED);
    }
    Optional<ErrorCode> refusal = row.add(at, stored);
    if (refusal.isPresent()) {
      return refusal;
    }
    DecodedRow decided = row.increments().isEmpty() ? row : DecodedRow.of(at, schema);
    Optional<Row> after = decided.after(stored, commitMicros);
    if (after.isPresent() && !isLegal(after.get())) {
      return Optional.of(ErrorCode.ROW_TOO_LARGE);
    }
    after.ifPresentOrElse(changed -> rows.put(row.key(), changed), () -> rows.remove(row.key()));
    applied.add(decided);
    return Optional.empty();
  }

  /** Several legal updates together may make a row too large. */
  private boolean isLegal(Row row) {
    try {
      return new BatchBuilder(schema, 256).add(new RowPutChange(row.primaryKey(), row.columns()));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private ChangeBatch batchOf(
      List<DecodedRow> changed, boolean isAtomic, long first, long commitMicros) {
    BatchBuilder builder = new BatchBuilder(schema, 64 * changed.size());
    if (isAtomic) {
      builder.setAttributes(Attributes.atomic(Bytes.EMPTY));
    }
    for (DecodedRow row : changed) {
      if (!row.addTo(builder)) {
        throw new IllegalStateException("one batch takes no more than " + builder.rowCount());
      }
    }
    byte[] bytes = builder.build(id, first, commitMicros);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  /** Deletes the rows whose time to live is over. */
  public void expire(long ttlMs, VirtualTime time) {
    long over = time.micros() - TimeUnit.MILLISECONDS.toMicros(ttlMs);
    List<Bytes> expired = new ArrayList<>();
    rows.forEach(
        (key, row) -> {
          if (row.commitMicros().orElseThrow() <= over) {
            expired.add(key);
          }
        });
    delete(DeletionCause.EXPIRED, expired, time);
  }

  private void delete(DeletionCause cause, List<Bytes> keys, VirtualTime time) {
    if (keys.isEmpty()) {
      return;
    }
    byte[] batch = ExpiredRows.of(cause, id, keys).array();
    BatchBuilder.stamp(batch, 0, committed + 1, time.nextCommitMicros());
    append(ChangeBatch.parse(batch, 0, batch.length));
    keys.forEach(rows::remove);
  }

  private void requireRoom(ChangeBatch batch, long session) {
    Set<Bytes> own = new HashSet<>(bound.keySet());
    own.removeIf(key -> bound.get(key) != session);
    int numbered = 0;
    for (RowCursor row = batch.rows(); row.next(); ) {
      if (row.isAuto()) {
        numbered++;
      } else if (row.session().isPresent()) {
        own.add(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
      }
    }
    int rowCount = own.size() + numbered;
    if (rowCount > Limits.SESSION_ROWS_MAX) {
      throw new RefusedException(
          ErrorCode.LIMIT_REACHED,
          "session "
              + session
              + " would have "
              + rowCount
              + " rows in partition "
              + id
              + "; a session has at most "
              + Limits.SESSION_ROWS_MAX);
    }
  }

  /** How many rows are bound to a session. */
  public long boundRows(long session) {
    return bound.values().stream().filter(to -> to == session).count();
  }

  /** Deletes the rows that are bound to a session, which has ended. */
  public void endSession(long session, VirtualTime time) {
    List<Bytes> keys = new ArrayList<>(bound.keySet());
    keys.removeIf(key -> bound.get(key) != session);
    delete(DeletionCause.SESSION_ENDED, keys, time);
  }

  private void sawNumbers(ChangeBatch batch) {
    AutoNumbers.of(schema)
        .ifPresent(auto -> number = Math.max(number, auto.largest(batch).orElse(number)));
  }

  private void append(ChangeBatch batch) {
    sawNumbers(batch);
    changes.add(batch);
    committed = batch.lastPosition();
    bind(batch);
  }

  private void bind(ChangeBatch batch) {
    for (RowCursor row = batch.rows(); row.next(); ) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      row.session().ifPresentOrElse(to -> bound.put(key, to), () -> bound.remove(key));
    }
  }

  /** The position of the last change committed before a moment; 0 without such a change. */
  public long lastBefore(long micros) {
    long position = 0;
    for (ChangeBatch batch : changes) {
      position = batch.commitMicros() < micros ? batch.lastPosition() : position;
    }
    return position;
  }

  /** Starts a new incarnation, after a restart of the service. */
  public void begun(long incarnation) {
    incarnations.put(incarnation, committed);
  }

  /** The position up to which the changes of an incarnation are the present changes. */
  public long sharedUpTo(long incarnation) {
    return incarnations.tailMap(incarnation, false).values().stream()
        .mapToLong(Long::longValue)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Crashes and loses changes that were not synced, with their effects on rows. */
  public void loseUnsynced() {
    changes.removeIf(batch -> batch.basePosition() > synced);
    committed = Math.min(committed, synced);
    forgetLostWriters();
    rows.clear();
    bound.clear();
    number = 0;
    for (ChangeBatch batch : changes) {
      bind(batch);
      sawNumbers(batch);
      for (RowCursor row = batch.rows(); row.next(); ) {
        DecodedRow decoded = DecodedRow.of(row, schema);
        Optional<Row> after =
            decoded.after(Optional.ofNullable(rows.get(decoded.key())), batch.commitMicros());
        after.ifPresentOrElse(
            changed -> rows.put(decoded.key(), changed), () -> rows.remove(decoded.key()));
      }
    }
  }

  /** Describes the partition, with figures on request. */
  public PartitionDescription describe(boolean withFigures) {
    if (!withFigures) {
      return new PartitionDescription(id, from, to, List.of(), 0, false, 0, 0, 1, 0);
    }
    long rowBytes = rows.values().stream().mapToLong(row -> row.toString().length()).sum();
    return new PartitionDescription(
        id, from, to, List.of(), rows.size(), true, rowBytes, bytesAfter(0), 1, committed);
  }

  /** The bytes of the batches with changes behind a position. */
  public long bytesAfter(long position) {
    return changes.stream()
        .filter(batch -> batch.lastPosition() > position)
        .mapToLong(ChangeBatch::byteCount)
        .sum();
  }

  /** The commit time of the first change behind a position. */
  public Optional<Long> commitMicrosAfter(long position) {
    return changes.stream()
        .filter(batch -> batch.lastPosition() > position)
        .findFirst()
        .map(ChangeBatch::commitMicros);
  }
}
