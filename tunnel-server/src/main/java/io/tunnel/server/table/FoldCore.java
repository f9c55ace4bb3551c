package io.tunnel.server.table;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.UsedNames;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

/**
 * Turns changes into writes to the store. The core sorts the changes of a partition by key and
 * merges the changes of a key into one: the last put or delete, with the updates after it. Updates
 * without a put or delete become a part on top of the stored row, which the fold does not read.
 *
 * <p>A fold is one write to the store, or several: rows may need more space than their changes had,
 * since they carry names or are rewritten, so a write ends when it has {@value #WRITE_BYTES_MAX}
 * bytes; and it ends when other tasks are due. Only the last write records that the fold is
 * complete: after a crash between two writes, the table folds all changes again, with equal rows as
 * the result.
 *
 * <p>Each part makes its row a little dearer to read, so now and then an update reads its row and
 * writes all of it as one part. Chance says when, since no code counts the parts of each row: of
 * {@value #UPDATES_PER_READ} updates one reads, and that a row has more than 400 parts is to be
 * expected once in 10^11 updates.
 */
final class FoldCore {

  /** What stands in front of the names of a part that carries them. */
  private static final int INLINE_HEADER_BYTES_MAX = StoreFormat.PART_HEADER_BYTES + 11;

  /** Bytes from which on a write is not added to; it has at most one row more. */
  static final int WRITE_BYTES_MAX = 8 << 20;

  static final int UPDATES_PER_READ = 16;

  /** A value without bytes. */
  private static final byte[] NOTHING = new byte[0];

  private final Dictionaries dictionaries;
  private final RowSource stored;
  private final RandomGenerator chance;
  private final IntFunction<Expiry> expiry;
  private final WriteBatchSink sink = new WriteBatchSink();
  private final UsedNames usedNames = new UsedNames();

  /** The arrays of a fold that has ended, for the next one. */
  private Optional<KeyRuns> spare = Optional.empty();

  /** Where the stored value of a row comes from. */
  @FunctionalInterface
  interface RowSource {
    /** The value, or null when there is none. */
    byte[] get(byte[] rowKey);
  }

  FoldCore(Dictionaries dictionaries, RowSource stored, RandomGenerator chance) {
    this(dictionaries, stored, chance, partition -> Expiry.NEVER);
  }

  /**
   * A core that also indexes rows that may expire.
   *
   * @param expiry of the rows of a partition
   */
  FoldCore(
      Dictionaries dictionaries,
      RowSource stored,
      RandomGenerator chance,
      IntFunction<Expiry> expiry) {
    this.expiry = expiry;
    this.dictionaries = dictionaries;
    this.stored = stored;
    this.chance = chance;
  }

  /** Begins to fold {@code batches} in order, and to store what is {@code beside} the rows. */
  Fold begin(List<ChangeBatch> batches, BesideRows beside) {
    return new Fold(batches, beside);
  }

  /** Changes that are being folded. */
  final class Fold {
    private final KeyRuns runs = spare.orElseGet(KeyRuns::new);

    /** So many rows of {@link #runs} are in the writes that were made. */
    private int done;

    /** The batches that are not in {@link #runs} yet, by partition. */
    private final Iterator<List<ChangeBatch>> left;

    private BesideRows beside;

    /** Of the partition whose rows are in {@link #runs}. */
    private Expiry expiring = Expiry.NEVER;

    /** Whether the last write of the fold was made. */
    private boolean isEnded;

    private Fold(List<ChangeBatch> batches, BesideRows beside) {
      spare = Optional.empty();
      Map<Integer, List<ChangeBatch>> byPartition = new LinkedHashMap<>();
      for (ChangeBatch batch : batches) {
        byPartition.computeIfAbsent(batch.partition(), id -> new ArrayList<>()).add(batch);
      }
      this.left = byPartition.values().iterator();
      this.beside = beside;
    }

    /** Whether all writes were made. */
    boolean isEnded() {
      return isEnded;
    }

    /**
     * The next write, with one row at least, and with others as long as {@code mayGoOn}; all writes
     * that were made before, of this fold and of others, are in the store.
     */
    byte[] next(TableFold.Offsets offsets, BooleanSupplier mayGoOn) {
      if (isEnded) {
        throw new IllegalStateException("a fold that has ended is asked to continue");
      }
      dictionaries.stored();
      sink.clear();
      storeBeside();
      while (!isEnded && sink.size() + dictionaries.unstoredBytes() < WRITE_BYTES_MAX) {
        if (done < runs.count()) {
          done = foldRun(runs, done, expiring);
          if (!mayGoOn.getAsBoolean() && (done < runs.count() || left.hasNext())) {
            break;
          }
        } else if (left.hasNext()) {
          open(left.next());
        } else {
          end();
        }
      }
      long folded = isEnded ? offsets.after() : offsets.before();
      sink.put(
          StoreFormat.foldedKey(),
          isEnded && folded == offsets.ahead()
              ? StoreFormat.folded(folded)
              : StoreFormat.underWay(folded, offsets.ahead()));
      dictionaries.storeNew(sink);
      return sink.toByteArray();
    }

    /** With the first write, so that no crash leaves a row above its bound. */
    private void storeBeside() {
      beside
          .bounds()
          .forEach(
              (partition, bound) -> sink.put(StoreFormat.boundKey(partition), bound.toByteArray()));
      beside
          .writers()
          .forEach((writer, known) -> storeOrRemove(StoreFormat.writerKey(writer), known));
      beside
          .sessions()
          .forEach((row, session) -> storeOrRemove(StoreFormat.sessionKey(row), session));
      beside = new BesideRows(beside.states(), Map.of());
    }

    private void storeOrRemove(byte[] key, Bytes value) {
      if (value.length() == 0) {
        sink.delete(key);
      } else {
        sink.put(key, value.toByteArray());
      }
    }

    private void open(List<ChangeBatch> batches) {
      runs.clear();
      for (ChangeBatch batch : batches) {
        runs.add(batch, dictionaries.idOf(batch));
      }
      if (runs.count() > 0) {
        runs.sort();
        expiring = expiry.apply(batches.get(0).partition());
      }
      done = 0;
    }

    private void end() {
      runs.clear();
      usedNames.clear();
      spare = Optional.of(runs);
      beside
          .states()
          .forEach(
              (partition, state) -> sink.put(StoreFormat.stateKey(partition), state.toByteArray()));
      isEnded = true;
    }
  }

  /** Folds the rows of one key, of which the first is at {@code from}; returns where they end. */
  private int foldRun(KeyRuns runs, int from, Expiry expiring) {
    int end = runs.endOfRun(from);
    if (expiring.isOn() && runs.row(end - 1).kind() != ChangeKind.DELETE) {
      sink.put(expiryKey(runs.row(end - 1), expiring), NOTHING);
    }
    int base = base(runs, from, end);
    if (base == end - 1) {
      foldAlone(runs.row(base), runs.dictionary(base));
    } else if (base >= from) {
      put(runs, from, laid(runs, base, end, StoredRow.empty()));
    } else if (chance.nextInt(UPDATES_PER_READ) == 0) {
      put(runs, from, laid(runs, from, end, before(runs.row(from))));
    } else if (from == end - 1) {
      foldAlone(runs.row(from), runs.dictionary(from));
    } else {
      foldUpdates(runs, from, end);
    }
    return end;
  }

  /** With the row, in one write: each stored row that may expire has an entry. */
  private static byte[] expiryKey(RowCursor row, Expiry expiring) {
    ChangeBatch batch = row.batch();
    return StoreFormat.expiryKey(
        batch.partition(),
        expiring.indexMicros(batch.commitMicros()),
        Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
  }

  /** Where the last put or delete of a run is; in front of {@code from} when it has none. */
  private static int base(KeyRuns runs, int from, int end) {
    int base = end - 1;
    while (base >= from && runs.row(base).kind() == ChangeKind.UPDATE) {
      base--;
    }
    return base;
  }

  /** A put or a delete, which leaves the row as it says, or a single update. */
  private void foldAlone(RowCursor row, int dictionary) {
    ChangeBatch batch = row.batch();
    if (row.kind() == ChangeKind.DELETE) {
      sink.deleteRow(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
    } else if (dictionary != StoreFormat.INLINE_DICTIONARY) {
      sink.writeRow(row, dictionary);
    } else if (row.kind() == ChangeKind.UPDATE) {
      sink.merge(rowKey(row), inlinePart(row));
    } else {
      sink.put(rowKey(row), inlinePart(row));
    }
  }

  /**
   * Several updates become one part. What they remove and what they set can be more columns than a
   * row, and so a part, may have, although each update and each row that it makes was checked; then
   * the row is rewritten, without what was removed.
   */
  private void foldUpdates(KeyRuns runs, int from, int end) {
    StoredRow updates = laid(runs, from, end, StoredRow.empty());
    if (updates.columnCount() > Limits.ROW_COLUMNS_MAX) {
      put(runs, from, laid(runs, from, end, before(runs.row(from))));
    } else {
      sink.merge(rowKey(runs.row(from)), updates.encode(partition(runs, from), dictionaries));
    }
  }

  /** The part of a row whose names have no dictionary: with the names that it uses. */
  private byte[] inlinePart(RowCursor row) {
    usedNames.look(row);
    ByteSink part =
        new ByteSink(INLINE_HEADER_BYTES_MAX + usedNames.namesBytes() + usedNames.columnsBytes());
    part.writeLong(StoreFormat.partHeader(row.batch().commitMicros()));
    part.writeVarint(StoreFormat.INLINE_DICTIONARY);
    usedNames.writeNames(part);
    usedNames.writeColumns(part);
    return part.toByteArray();
  }

  private StoredRow before(RowCursor row) {
    byte[] value = stored.get(rowKey(row));
    return value == null
        ? StoredRow.empty()
        : StoredRow.of(value, dictionaries.namesOf(row.batch().partition()));
  }

  /** Updates, the first of them perhaps a put or a delete, laid upon {@code value}. */
  private static StoredRow laid(KeyRuns runs, int from, int end, StoredRow value) {
    for (int i = from; i < end; i++) {
      value.lay(runs.row(i), runs.dictionary(i));
    }
    return value;
  }

  private void put(KeyRuns runs, int from, StoredRow row) {
    sink.put(
        rowKey(runs.row(from)), row.withoutRemoved().encode(partition(runs, from), dictionaries));
  }

  private static int partition(KeyRuns runs, int from) {
    return runs.row(from).batch().partition();
  }

  private static byte[] rowKey(RowCursor row) {
    ChangeBatch batch = row.batch();
    return StoreFormat.rowKey(batch.partition(), batch.array(), row.keyOffset(), row.keyBytes());
  }
}
