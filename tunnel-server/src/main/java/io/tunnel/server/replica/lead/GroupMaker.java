package io.tunnel.server.replica.lead;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.shared.BatchRow;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Makes the entries of an append: of the writes that wait, judged against the rows as they are
 * folded up to here, or of rows to be repaired.
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
  private final ConditionCore conditions;
  private final RecordCodec codec = new RecordCodec();
  private final List<Draft> drafts = new ArrayList<>();
  private final List<AppendGroup.Piece> pieces = new ArrayList<>();

  /** The rows that the group changes, as they are after it; kept only when needed. */
  private final Map<Bytes, Optional<SortedMap<String, Bytes>>> after = new HashMap<>();

  private int bytes;

  /** An entry without its sequence. */
  private record Draft(Kind kind, Bytes key, Optional<Bytes> value, Optional<BatchRow> row) {}

  /** Hands out sequences. */
  @FunctionalInterface
  interface Sequences {
    /** The first of so many. */
    long take(int count);
  }

  GroupMaker(int partition, Leader.Rows rows, ReplicaConfig.Batches limits) {
    this.partition = partition;
    this.rows = rows;
    this.limits = limits;
    this.conditions = new ConditionCore(rows);
  }

  /** Takes writes from {@code waiting}, at least one, until it is empty or the group is full. */
  AppendGroup writes(ArrayDeque<PendingWrite> waiting, long epoch, Sequences sequences) {
    boolean mustJudge = waiting.stream().anyMatch(PendingWrite::isConditional);
    try {
      while (!waiting.isEmpty() && !isFull()) {
        add(waiting.peek(), mustJudge);
        waiting.remove();
      }
      if (drafts.isEmpty()) {
        // The conditions of all rows failed, which only a leader can judge: an entry without a
        // change proves the lead.
        ChangeBatch batch = pieces.get(0).write().batch();
        RowCursor row = batch.rows();
        row.next();
        repair(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
      }
      return build(epoch, sequences);
    } catch (RuntimeException | Error e) {
      // Nothing of it was appended.
      for (int i = pieces.size() - 1; i >= 0; i--) {
        waiting.addFirst(pieces.get(i).write());
      }
      throw e;
    } finally {
      clear();
    }
  }

  /** Repairs as many keys as fit, in their order. */
  AppendGroup repairs(List<Bytes> keys, long epoch, Sequences sequences) {
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

  private void clear() {
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
      entries.add(new Entry(draft.kind(), draft.key(), epoch, sequence++, draft.value()));
      kept.add(draft.row());
    }
    return new AppendGroup(epoch, entries, kept, List.copyOf(pieces));
  }

  private void repair(Bytes key) {
    Optional<Bytes> value = rows.columns(partition, key).map(columns -> codec.row(key, columns));
    add(new Draft(Kind.REPAIR, key, value, Optional.empty()));
  }

  private void add(Draft draft) {
    drafts.add(draft);
    bytes += draft.key().length() + draft.value().map(Bytes::length).orElse(0);
  }

  private void add(PendingWrite write, boolean mustJudge) {
    ConditionCore.Judged judged = conditions.judge(write.batch(), write.isConditional());
    int from = drafts.size();
    judged.accepted().ifPresent(batch -> add(batch, mustJudge, isKept(write)));
    int accepted = write.batch().rowCount() - judged.rejections().size();
    int appended = drafts.size() - from;
    pieces.add(new AppendGroup.Piece(write, judged.rejections(), from, appended, accepted));
  }

  /** A row with a condition, or an update, is logged and folded in another form. */
  private boolean isKept(PendingWrite write) {
    int namesBytesMax = limits.mergedBytesMax() / PART_OF_RUN_FOR_NAMES;
    return !write.isConditional() && write.batch().dictionaryBytes() <= namesBytesMax;
  }

  private void add(ChangeBatch batch, boolean mustRemember, boolean isKept) {
    RowCursor row = batch.rows();
    while (bytes < limits.appendBytesMax() + OVERRUN_BYTES_MAX && row.next()) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      Optional<SortedMap<String, Bytes>> left = mustRemember ? after(row, key) : Optional.empty();
      Optional<Bytes> value =
          switch (row.kind()) {
            case PUT -> Optional.of(codec.put(row));
            case UPDATE -> Optional.of(codec.update(row, left.orElseThrow()));
            case DELETE -> Optional.empty();
          };
      Optional<BatchRow> kept =
          isKept
              ? Optional.of(new BatchRow(batch, row.rowOffset(), row.rowEnd()))
              : Optional.empty();
      add(new Draft(Kind.CHANGE, key, value, kept));
    }
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
