package io.tunnel.codec;

import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Decides whether a writer's batch may enter the log. Checks once all guarantees to readers, so
 * that every reader can decode every row. One instance serves one table; not thread-safe.
 */
public final class BatchValidator {

  private final List<PrimaryKeySchema> schema;
  private final NameSet usedNames = new NameSet();

  /** The conditions on columns that were found legal, each once. */
  private final Set<Bytes> legalConditions = new HashSet<>();

  /** By their bytes, what rows may return; whether they name columns. */
  private final Map<Bytes, Boolean> legalReturning = new HashMap<>();

  /**
   * The result of a check.
   *
   * @param mustJudge whether a row may have to be evaluated against the stored row: because it has
   *     a condition, returns anything, or is an UPDATE, which may make the stored row too large
   * @param asksForColumns whether a row has a condition on columns, or an increment, whose outcome
   *     tells what the stored row holds, or returns columns
   * @param writer what the writer says of the batch; empty when the writer does not number
   * @param session the session that rows of the batch are bound to
   * @param newest the feature of the highest level that an attribute of the batch or a row uses;
   *     empty without attributes. The level in force must enable the feature
   */
  public record Checked(
      boolean mustJudge,
      boolean asksForColumns,
      ColumnSizes columnSizes,
      Optional<WriterNumber> writer,
      Optional<SessionProof> session,
      Optional<FormatFeature> newest) {}

  /** A validator for rows with keys of {@code schema}. */
  public BatchValidator(List<PrimaryKeySchema> schema) {
    this.schema = List.copyOf(schema);
  }

  /**
   * Checks every row: its key against the schema and the range {@code [from, to)} of encoded first
   * key columns ({@link Bytes#EMPTY} for an open end), its columns' types, values and names, which
   * must differ from those of the key.
   *
   * @throws RefusedException with the reason; also for attributes that a reader may skip: the
   *     server must know each attribute that enters the log
   * @throws NewerFormatException for an attribute of a feature of a higher level
   */
  public Checked require(ChangeBatch batch, Bytes from, Bytes to) {
    byte[] array = batch.array();
    if (batch.rowCount() == 0) {
      throw new RefusedException(ErrorCode.INVALID_REQUEST, "a batch has at least one row");
    }
    try {
      Optional<FormatFeature> newest =
          batch.hasAttributes() ? known(Place.BATCH, batch.attributes()) : Optional.empty();
      Optional<WriterNumber> writer = requireWriter(batch);
      Optional<SessionProof> session = SessionProof.of(batch);
      requireAtomic(batch);
      Dictionary.requireDistinct(batch.names());
      requireNoKeyColumn(batch.names());
      boolean mustJudge = false;
      boolean asksForColumns = false;
      ColumnSizes columnSizes = new ColumnSizes(batch.nameCount());
      RowCursor row = batch.rows();
      while (row.next()) {
        requireKey(row, array, from, to);
        if (row.hasAttributes()) {
          newest = FormatFeature.newest(newest, known(Place.ROW, row.attributes()));
          asksForColumns |= requireColumnCondition(row);
          asksForColumns |= requireIncrements(row);
          asksForColumns |= requireReturning(row);
          mustJudge |= row.hasReturning();
          requireNoCause(row);
          requireAuto(row);
        }
        if (row.hasAttributes() || session.isPresent()) {
          requireSession(row, session);
        }
        requireColumns(row, batch.nameCount(), columnSizes);
        mustJudge |=
            row.condition() != RowExistenceExpectation.IGNORE || row.kind() == ChangeKind.UPDATE;
      }
      requireUsed(batch, columnSizes);
      return new Checked(
          mustJudge || asksForColumns, asksForColumns, columnSizes, writer, session, newest);
    } catch (MalformedException e) {
      if (e instanceof NewerFormatException newer && newer.feature().isPresent()) {
        throw newer;
      }
      throw new RefusedException(e.code(), e.getMessage());
    }
  }

  private static Optional<FormatFeature> known(Place place, Bytes attributes) {
    byte[] array = attributes.toByteArray();
    return Attributes.requireKnown(place, array, 0, array.length);
  }

  /** What the writer says; only a server says who wrote the rows of a batch of the log. */
  private static Optional<WriterNumber> requireWriter(ChangeBatch batch) {
    if (!WrittenRows.of(batch).isEmpty()) {
      throw new MalformedException("a writer's batch says who wrote its rows, as a log does");
    }
    return WriterNumber.of(batch);
  }

  /** An atomic batch is small enough for one callback of a worker. */
  private static void requireAtomic(ChangeBatch batch) {
    Optional<Bytes> atomic = batch.attribute(FormatFeature.ATOMIC);
    if (atomic.isEmpty()) {
      return;
    }
    if (atomic.get().length() > 0) {
      throw new MalformedException("attribute atomic of a batch has no value");
    }
    if (batch.rowCount() > Limits.ATOMIC_ROWS_MAX || batch.byteCount() > Limits.ATOMIC_BYTES_MAX) {
      throw new MalformedException(
          "an atomic batch of "
              + batch.rowCount()
              + " rows and "
              + batch.byteCount()
              + " bytes; at most "
              + Limits.ATOMIC_ROWS_MAX
              + " rows and "
              + Limits.ATOMIC_BYTES_MAX
              + " bytes are possible");
    }
  }

  /** Checks the condition on columns of a row; returns whether the row has one. */
  private boolean requireColumnCondition(RowCursor row) {
    Optional<Bytes> condition = row.columnCondition();
    if (condition.isEmpty() || legalConditions.contains(condition.get())) {
      return condition.isPresent();
    }
    try {
      var unused = ConditionPlace.ofRows(schema).require(Condition.decode(condition.get()));
    } catch (MalformedException | IllegalArgumentException e) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "row " + row.index() + ": the condition on columns: " + e.getMessage());
    }
    legalConditions.add(condition.get());
    return true;
  }

  /** Checks what a row returns; returns whether the row names columns. */
  private boolean requireReturning(RowCursor row) {
    Optional<Bytes> found = row.attribute(FormatFeature.RETURNING);
    if (found.isEmpty()) {
      return false;
    }
    Bytes encoded = found.get();
    Boolean namesColumns = legalReturning.get(encoded);
    if (namesColumns == null) {
      try {
        namesColumns = !ReturningCodec.decode(encoded).require(schema).columns().isEmpty();
      } catch (MalformedException | IllegalArgumentException e) {
        throw new RefusedException(
            ErrorCode.INVALID_REQUEST, "row " + row.index() + ": " + e.getMessage());
      }
      legalReturning.put(encoded, namesColumns);
    }
    return namesColumns;
  }

  /** Checks a row whose number the server is to choose: it is a new one. */
  private void requireAuto(RowCursor row) {
    Optional<Bytes> auto = row.attribute(FormatFeature.AUTO);
    if (auto.isEmpty()) {
      return;
    }
    String where = "row " + row.index() + ": ";
    OptionalInt place = PrimaryKeySchema.autoPlace(schema);
    if (place.isEmpty()) {
      throw new MalformedException(
          where + "the server is to number the key of a table without an AUTO column");
    }
    if (row.kind() != ChangeKind.PUT) {
      throw new MalformedException(
          where + "a " + row.kind() + " names its row; only a PUT leaves its number to the server");
    }
    if (row.condition() == RowExistenceExpectation.EXPECT_EXIST
        || row.columnCondition().isPresent()) {
      throw new MalformedException(
          where + "a row that the server numbers is new, and has no condition on a row before it");
    }
    int number =
        KeyCodec.numberOffset(
            row.batch().array(), row.keyOffset(), row.keyBytes(), schema, place.getAsInt());
    if (auto.get().length() > 0 || KeyCodec.number(row.batch().array(), number) != 0) {
      throw new MalformedException(
          where + "attribute auto has no value, and the number 0 in the key");
    }
  }

  /** The server says why it deletes a row, so a writer's own word for that is refused. */
  private static void requireNoCause(RowCursor row) {
    if (row.attribute(FormatFeature.CAUSE).isPresent()) {
      throw new MalformedException(
          "row "
              + row.index()
              + ": attribute cause is written by the server when it deletes a row; send a DELETE");
    }
  }

  /** The rows that are written in a batch with a session are bound to it, and no others are. */
  private static void requireSession(RowCursor row, Optional<SessionProof> session) {
    Optional<Long> bound = row.session();
    boolean mayBeBound = session.isPresent() && row.kind() != ChangeKind.DELETE;
    Optional<Long> wanted = mayBeBound ? session.map(SessionProof::session) : Optional.empty();
    if (!bound.equals(wanted)) {
      throw new MalformedException(
          "row "
              + row.index()
              + ", a "
              + row.kind()
              + ", is bound to "
              + bound.map(id -> "session " + id).orElse("no session")
              + " in a batch of "
              + session.map(of -> "session " + of.session()).orElse("no session"));
    }
  }

  /**
   * Checks the increments of a row; returns whether the row has any. The server that adds writes
   * what it added, so a writer's own word for that is refused.
   */
  private static boolean requireIncrements(RowCursor row) {
    String where = "row " + row.index() + ": ";
    if (row.deltas().isPresent()) {
      throw new MalformedException(
          where + "attribute delta is written by the server that adds; send an increment");
    }
    if (WrittenBatch.of(row.attributes()).isPresent()) {
      throw new MalformedException(where + "attribute written is written by a leader to its log");
    }
    Optional<Increments> found = row.increments();
    if (found.isEmpty()) {
      return false;
    }
    if (row.kind() != ChangeKind.UPDATE) {
      throw new MalformedException(where + "a " + row.kind() + " that adds to a column");
    }
    Increments increments = found.get();
    ColumnCursor columns = row.columns();
    int next = 0;
    for (int place = 0; next < increments.size() && columns.next(); place++) {
      if (increments.place(next) == place) {
        if (!columns.isZero()) {
          throw new MalformedException(
              where + "column " + place + " is added to, and is not sent as the INTEGER 0");
        }
        next++;
      }
    }
    if (next < increments.size()) {
      throw new MalformedException(
          where + "adds to column " + increments.place(next) + ", which the row does not have");
    }
    return true;
  }

  /**
   * Refuses columns that have the name of a key column: the row would have two values under one
   * name, and a tool that prints or loads rows by name would lose one. Only new batches are
   * checked, so a log that holds such columns still opens.
   */
  private void requireNoKeyColumn(String[] names) {
    for (String name : names) {
      for (PrimaryKeySchema column : schema) {
        if (column.name().equals(name)) {
          throw new MalformedException(
              "column '"
                  + name
                  + "' has the name of a column of the table's key; give the value in the key only,"
                  + " or choose a different name");
        }
      }
    }
  }

  /** The partition keeps every name, so a name without a row would waste memory. */
  private static void requireUsed(ChangeBatch batch, ColumnSizes columnSizes) {
    for (int name = 0; name < batch.nameCount(); name++) {
      if (!columnSizes.isNamed(name)) {
        throw new MalformedException(
            "no row of the batch uses column name '"
                + batch.name(name)
                + "', which stands in its dictionary; leave it out");
      }
    }
  }

  private void requireKey(RowCursor row, byte[] array, Bytes from, Bytes to) {
    int offset = row.keyOffset();
    int first;
    try {
      first = KeyCodec.requireKey(array, offset, row.keyBytes(), schema);
    } catch (MalformedException e) {
      boolean isTooLarge = e.code() == ErrorCode.ROW_TOO_LARGE;
      throw new RefusedException(
          isTooLarge ? ErrorCode.ROW_TOO_LARGE : ErrorCode.KEY_MISMATCH,
          "row " + row.index() + ": " + e.getMessage());
    }
    if (from.compareTo(array, offset, first) > 0
        || (to.length() > 0 && to.compareTo(array, offset, first) <= 0)) {
      throw new RefusedException(
          ErrorCode.WRONG_PARTITION,
          "row "
              + row.index()
              + " does not belong to partition "
              + row.batch().partition()
              + "; read the table's partition map again");
    }
  }

  private void requireColumns(RowCursor row, int nameCount, ColumnSizes columnSizes) {
    ChangeKind kind = row.kind();
    ColumnCursor columns = row.columns();
    if (kind == ChangeKind.DELETE && columns.left() > 0) {
      throw new MalformedException("row " + row.index() + " is a DELETE with columns");
    }
    if (kind == ChangeKind.UPDATE && columns.left() == 0) {
      throw new MalformedException("row " + row.index() + " is an UPDATE without columns");
    }
    usedNames.clear();
    while (columns.next()) {
      int name = columns.nameIndex();
      if (name >= nameCount) {
        throw new MalformedException(
            "row " + row.index() + ": column name " + name + " of " + nameCount);
      }
      if (!usedNames.add(name)) {
        throw new MalformedException(
            "row " + row.index() + " names column '" + row.batch().name(name) + "' twice");
      }
      if (columns.isDelete() && kind != ChangeKind.UPDATE) {
        throw new MalformedException(
            "row " + row.index() + " is a " + kind + " that removes a column");
      }
      columns.requireValue();
      columnSizes.saw(columns);
    }
  }
}
