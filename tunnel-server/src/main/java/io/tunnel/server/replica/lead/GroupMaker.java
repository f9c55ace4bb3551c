package io.tunnel.server.replica.lead;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.RowsToJudge;
import io.tunnel.codec.WrittenBatch;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.judge.AnswerCodec;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.shared.BatchRow;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.wire.ReturnedRows;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * Makes the entries of an append: of the writes that wait, judged against the rows as they are
 * folded up to here, or of rows to be repaired.
 *
 * <p>A group of writes is made in slices, row by row: one long write must not hold the shard's
 * thread. The writes stay in the leader's queue until their group is whole. Nothing of the
 * partition is folded while the leader leads and has no append in flight, so all rows of a group
 * are judged by the same rows. A new epoch voids an unfinished group: another leader's changes may
 * have been folded since the group began.
 */
final class GroupMaker {

  /**
   * A record holds names, and behind an update the whole row, so a batch can become many times as
   * large. When its records are so much over the limit, the rest of its rows is left to its writer.
   */
  private static final int OVERRUN_BYTES_MAX = 8 << 20;

  /**
   * Rows are logged and folded out of the batch of their writer, with all of its names for each run
   * of rows, only when the names are at most this part of a run. With more names each row is taken
   * from its record, which has the names that the row uses.
   */
  private static final int PART_OF_RUN_FOR_NAMES = 8;

  private final int partition;
  private final Leader.Rows rows;
  private final ReplicaConfig.Batches limits;
  private final NumberedBatches numbered;
  private final ConditionCore conditions;
  private final RecordCodec codec = new RecordCodec();
  private final List<Draft> drafts = new ArrayList<>();
  private final List<AppendGroup.Piece> pieces = new ArrayList<>();

  /** The rows that the group changes, as they are after it; kept only when needed. */
  private final Map<Bytes, Optional<SortedMap<String, Bytes>>> after = new HashMap<>();

  private int bytes;

  /** The writes that the unfinished group may still take, oldest first. */
  private final ArrayDeque<PendingWrite> left = new ArrayDeque<>();

  /** The epoch of the unfinished group. */
  private long epoch;

  /** True when a write of the unfinished group has to be judged by the rows before it. */
  private boolean mustJudge;

  /** The write of the unfinished group whose rows are being taken. */
  private Optional<Taking> taking = Optional.empty();

  /** A write, and its rows as far as they were taken. */
  private static final class Taking {
    private final PendingWrite write;
    private final RowsToJudge rows;
    private final boolean isKept;
    private final int from;
    private final List<Rejection> rejections = new ArrayList<>();
    private final ReturnedRows returns = new ReturnedRows();

    /** Rows that were judged; each of them is rejected or in the group. */
    private int judged;

    /** What the first record says of its batch; empty where the writer does not number. */
    Optional<WrittenBatch> batch() {
      int records = judged - rejections.size();
      return write
          .writer()
          .map(
              by ->
                  new WrittenBatch(
                      by.writer(),
                      by.number(),
                      records,
                      AnswerCodec.encode(rejections, returns.rows())));
    }

    /** Whether the log says of a numbered batch that all rows are rejected. */
    boolean isNoted() {
      return write.writer().isPresent() && judged == rejections.size();
    }

    Taking(PendingWrite write, boolean isKept, int from) {
      this.write = write;
      this.rows = new RowsToJudge(write.batch());
      this.isKept = isKept;
      this.from = from;
    }

    AppendGroup.Piece piece() {
      return new AppendGroup.Piece(write, rejections, returns.rows(), from, judged);
    }
  }

  /** An entry without its sequence. */
  private record Draft(
      Kind kind,
      Bytes key,
      Optional<Bytes> value,
      long rowMicros,
      Bytes attributes,
      Optional<BatchRow> row) {

    Draft of(WrittenBatch batch) {
      return new Draft(kind, key, value, rowMicros, batch.addTo(attributes), row);
    }

    Entry entry(long epoch, long sequence) {
      return new Entry(kind, key, epoch, sequence, value, rowMicros, attributes);
    }
  }

  /** Hands out sequences. */
  @FunctionalInterface
  interface Sequences {
    /** The first of so many. */
    long take(int count);
  }

  GroupMaker(
      int partition, Leader.Rows rows, NumberedBatches numbered, ReplicaConfig.Batches limits) {
    this.partition = partition;
    this.rows = rows;
    this.numbered = numbered;
    this.limits = limits;
    this.conditions = new ConditionCore(rows);
  }

  /**
   * Goes on with a group of the first writes of {@code waiting}, at least one, until all of them
   * are taken or the group is full. Removes the writes of a whole group from {@code waiting}, and
   * those that end without a change of the log: repetitions of batches that were answered before.
   *
   * @param mayGoOn asked after each row; false ends the slice
   * @return the group when it is whole; empty also when all writes ended without
   */
  Optional<AppendGroup> writes(
      ArrayDeque<PendingWrite> waiting,
      long ofEpoch,
      Sequences sequences,
      BooleanSupplier mayGoOn) {
    try {
      if (isMaking() && epoch != ofEpoch) {
        clear();
      }
      if (!isMaking()) {
        begin(waiting, ofEpoch);
        if (left.isEmpty()) {
          return Optional.empty();
        }
      }
      if (!takeRows(mayGoOn)) {
        return Optional.empty();
      }
      if (drafts.isEmpty()) {
        // The conditions of all rows failed, which only a leader can judge: an entry without a
        // change proves the lead.
        repair(firstKey(pieces.get(0).write().batch()));
      }
      AppendGroup group = build(epoch, sequences);
      pieces.forEach(piece -> waiting.remove());
      clear();
      return Optional.of(group);
    } catch (RuntimeException | Error e) {
      clear();
      throw e;
    }
  }

  /** True while a group is unfinished. */
  boolean isMaking() {
    return taking.isPresent() || !pieces.isEmpty();
  }

  private void begin(ArrayDeque<PendingWrite> waiting, long ofEpoch) {
    epoch = ofEpoch;
    // Each write has a row at least. A write that comes later is not in the group: mustJudge would
    // not know of it.
    Set<Bytes> writers = new HashSet<>();
    Iterator<PendingWrite> all = waiting.iterator();
    while (all.hasNext() && left.size() < limits.appendRowsMax()) {
      PendingWrite write = all.next();
      if (write.writer().map(by -> writers.contains(by.writer())).orElse(false)) {
        // The next batch of a writer is judged by what became of the one before.
        break;
      }
      if (write.writer().isEmpty()) {
        left.add(write);
      } else if (isEnded(write)) {
        all.remove();
      } else {
        writers.add(write.writer().get().writer());
        left.add(write);
      }
    }
    mustJudge = left.stream().anyMatch(PendingWrite::isConditional);
  }

  /** Ends a write whose number says that its rows must not be appended. */
  private boolean isEnded(PendingWrite write) {
    Optional<WriteResult> repeated;
    try {
      repeated = numbered.repeated(write.writer().orElseThrow(), write.batch());
    } catch (RefusedException e) {
      write.refused(e);
      return true;
    }
    repeated.ifPresent(write::written);
    return repeated.isPresent();
  }

  /** Returns true when the group is full or has all writes, false when the slice is over. */
  private boolean takeRows(BooleanSupplier mayGoOn) {
    do {
      if (taking.isEmpty()) {
        if (left.isEmpty() || isFull()) {
          return true;
        }
        PendingWrite next = left.remove();
        taking = Optional.of(new Taking(next, isKept(next), drafts.size()));
      }
      Taking write = taking.get();
      if (bytes < limits.appendBytesMax() + OVERRUN_BYTES_MAX && write.rows.next()) {
        take(write);
      } else if (write.isNoted() && after.containsKey(firstKey(write.write.batch()))) {
        // A repair needs the row as it is stored. The next group begins with the write.
        taking = Optional.empty();
        return true;
      } else {
        write.batch().ifPresent(batch -> sign(write, batch));
        pieces.add(write.piece());
        taking = Optional.empty();
      }
    } while (mayGoOn.getAsBoolean());
    return false;
  }

  /** Says in the first record of a batch who wrote the batch, or in a repair where none is. */
  private void sign(Taking write, WrittenBatch batch) {
    if (write.isNoted()) {
      repair(firstKey(write.write.batch()));
    }
    drafts.set(write.from, drafts.get(write.from).of(batch));
  }

  private static Bytes firstKey(ChangeBatch batch) {
    RowCursor row = batch.rows();
    row.next();
    return Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
  }

  /** Takes the row that the cursor of the write is at. */
  private void take(Taking write) {
    RowCursor row = write.rows.row();
    int returnedBefore = write.returns.bytes();
    Optional<ErrorCode> refusal =
        mustJudge ? conditions.judge(row, write.write.place(), write.returns) : Optional.empty();
    write.write.looked(conditions.takeLooked());
    bytes += write.returns.bytes() - returnedBefore;
    write.judged++;
    if (refusal.isPresent()) {
      write.rejections.add(new Rejection(row.index(), refusal.get()));
    } else {
      add(row, write.isKept);
    }
  }

  /** Repairs as many keys as fit, in their order. */
  AppendGroup repairs(List<Bytes> keys, long epoch, Sequences sequences) {
    if (isMaking()) {
      throw new IllegalStateException("rows are repaired while a group of writes is unfinished");
    }
    try {
      for (Bytes key : keys) {
        if (isFull()) {
          break;
        }
        repair(key);
      }
      return build(epoch, sequences);
    } finally {
      clear();
    }
  }

  private boolean isFull() {
    return bytes >= limits.appendBytesMax() || drafts.size() >= limits.appendRowsMax();
  }

  /** Forgets the unfinished group, whose writes are still in the leader's queue. */
  void clear() {
    left.clear();
    taking = Optional.empty();
    drafts.clear();
    pieces.clear();
    after.clear();
    conditions.clear();
    bytes = 0;
  }

  private AppendGroup build(long epoch, Sequences sequences) {
    long sequence = sequences.take(drafts.size());
    List<Entry> entries = new ArrayList<>(drafts.size());
    List<Optional<BatchRow>> kept = new ArrayList<>(drafts.size());
    for (Draft draft : drafts) {
      entries.add(draft.entry(epoch, sequence++));
      kept.add(draft.row());
    }
    return new AppendGroup(epoch, entries, kept, List.copyOf(pieces));
  }

  private void repair(Bytes key) {
    Optional<Bytes> value = rows.columns(partition, key).map(columns -> codec.row(key, columns));
    // With the time of the row's last write: a repair makes no row younger.
    long micros = value.isPresent() ? rows.commitMicros(partition, key) : 0;
    add(new Draft(Kind.REPAIR, key, value, micros, Bytes.EMPTY, Optional.empty()));
  }

  private void add(Draft draft) {
    drafts.add(draft);
    bytes += draft.key().length() + draft.attributes().length();
    bytes += draft.value().map(Bytes::length).orElse(0);
  }

  /** A row with a condition, or an update, is logged and folded in another form. */
  private boolean isKept(PendingWrite write) {
    int namesBytesMax = limits.mergedBytesMax() / PART_OF_RUN_FOR_NAMES;
    return !write.isConditional() && write.batch().dictionaryBytes() <= namesBytesMax;
  }

  private void add(RowCursor row, boolean isKept) {
    ChangeBatch batch = row.batch();
    Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
    Optional<SortedMap<String, Bytes>> columns = mustJudge ? after(row, key) : Optional.empty();
    Optional<Bytes> value =
        switch (row.kind()) {
          case PUT -> Optional.of(codec.put(row));
          case UPDATE -> Optional.of(codec.update(row, columns.orElseThrow()));
          case DELETE -> Optional.empty();
        };
    Optional<BatchRow> kept =
        isKept ? Optional.of(new BatchRow(batch, row.rowOffset(), row.rowEnd())) : Optional.empty();
    add(new Draft(Kind.CHANGE, key, value, 0, row.attributesToLog(), kept));
  }

  private Optional<SortedMap<String, Bytes>> after(RowCursor row, Bytes key) {
    Optional<SortedMap<String, Bytes>> left = Optional.empty();
    if (row.kind() != ChangeKind.DELETE) {
      SortedMap<String, Bytes> columns =
          row.kind() == ChangeKind.UPDATE ? before(key) : new TreeMap<>();
      apply(row, columns);
      left = Optional.of(columns);
    }
    after.put(key, left);
    return left;
  }

  private SortedMap<String, Bytes> before(Bytes key) {
    Optional<SortedMap<String, Bytes>> inGroup = after.get(key);
    Optional<SortedMap<String, Bytes>> found =
        inGroup == null ? rows.columns(partition, key) : inGroup;
    return found.<SortedMap<String, Bytes>>map(TreeMap::new).orElseGet(TreeMap::new);
  }

  private static void apply(RowCursor row, SortedMap<String, Bytes> columns) {
    ChangeBatch batch = row.batch();
    ColumnCursor named = row.columns();
    while (named.next()) {
      String name = batch.name(named.nameIndex());
      if (named.isDelete()) {
        columns.remove(name);
      } else {
        int from = named.typeOffset();
        columns.put(name, Bytes.copyOf(batch.array(), from, named.columnEnd() - from));
      }
    }
  }
}
