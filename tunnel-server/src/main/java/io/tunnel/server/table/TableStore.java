package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.rocks.RocksMap;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * The rows of a shard's partitions. {@link #fold} and {@link #dropPartition} are for the shard's
 * owner thread alone; reads are for any thread and see what was folded before they began.
 */
@SuppressWarnings("try") // A use of the gate is only ended.
public final class TableStore implements TableRows, Closeable {

  private final ByteMap map;
  private final ByteMap.LogSync syncLog;
  private final StoredKeys keys;
  private final Dictionaries dictionaries;
  private final StoreFolds folds;
  private final OpenGate gate = new OpenGate();
  private final OpenReads reads;

  private final boolean isNew;

  private TableStore(ByteMap map, ByteMap.LogSync syncLog, IntFunction<Expiry> expiry)
      throws IOException {
    this.map = map;
    this.syncLog = syncLog;
    this.keys = new StoredKeys(map, gate);
    this.dictionaries = new Dictionaries(keys);
    this.reads = new OpenReads(map, dictionaries, gate);
    byte[] folded = map.get(StoreFormat.foldedKey());
    isNew = folded == null;
    long foldedOffset = isNew ? 0 : Binary.getLong(folded, 0);
    SplittableRandom chance = new SplittableRandom(foldedOffset);
    FoldCore folder = new FoldCore(dictionaries, keys::get, chance, expiry);
    this.folds = new StoreFolds(folder, gate, map::write, foldedOffset);
  }

  /**
   * Opens the rows in {@code directory}.
   *
   * @param syncLog makes the log durable; called before rows go to disk, so that the table on disk
   *     is never ahead of the log on disk
   */
  public static TableStore open(Path directory, TableStoreConfig config, ByteMap.LogSync syncLog)
      throws IOException {
    return open(directory, config, syncLog, Expiries.NONE, RocksMap.Tuning.NONE);
  }

  /**
   * As {@link #open}, for a table that is filled once and then read: writes never wait for
   * compactions, because no caller reads before the end. Needs no log.
   */
  public static TableStore openToFill(Path directory, TableStoreConfig config) throws IOException {
    return open(directory, config, () -> {}, Expiries.NONE, RocksMap.Tuning.TO_FILL);
  }

  /** As {@link #open} for rows that may expire; files stay as they are until {@link #compact}. */
  public static TableStore openUncompacted(
      Path directory, TableStoreConfig config, ByteMap.LogSync syncLog, IntFunction<Expiry> expiry)
      throws IOException {
    return open(directory, config, syncLog, expiry, RocksMap.Tuning.UNCOMPACTED);
  }

  private static TableStore open(
      Path directory,
      TableStoreConfig config,
      ByteMap.LogSync syncLog,
      IntFunction<Expiry> expiry,
      RocksMap.Tuning tuning)
      throws IOException {
    RocksMap map = RocksMap.open(directory, config, syncLog, tuning);
    try {
      return new TableStore(map, syncLog, expiry);
    } catch (IOException | RuntimeException e) {
      map.close();
      throw new IOException("cannot open the table in " + directory + ": " + e.getMessage(), e);
    }
  }

  /**
   * Opens the rows in a map of the caller; {@link #close} closes the map.
   *
   * @param syncLog as in {@link #open}
   */
  static TableStore over(ByteMap map, ByteMap.LogSync syncLog, IntFunction<Expiry> expiry)
      throws IOException {
    return new TableStore(map, syncLog, expiry);
  }

  /** Lets the map compact its files from now on, as it does by itself after {@link #open}. */
  public void compact() throws IOException {
    try (OpenGate.Use unused = gate.enter()) {
      map.compact();
    } catch (IOException e) {
      throw failed("cannot let the table compact its files: " + e.getMessage(), e);
    }
  }

  /** Whether nothing had been folded into it when it was opened. */
  public boolean isNew() {
    return isNew;
  }

  /** What {@link #fold} stored of replicas last, by partition. */
  public SortedMap<Integer, Bytes> states() {
    return keys.byPartition(StoreFormat.stateKey(0));
  }

  /** What {@link #fold} stored of bounds last, as {@link BesideRows} has them. */
  public SortedMap<Integer, Bytes> bounds() {
    return keys.byPartition(StoreFormat.boundKey(0));
  }

  /** Shows what {@link #fold} stored of writers, as {@link BesideRows} has them, one at a time. */
  public void writers(BiConsumer<Bytes, Bytes> visitor) {
    behind(StoreFormat.writerKey(Bytes.EMPTY), visitor);
  }

  /** What {@link #fold} stored of sessions, as {@link BesideRows} has them. */
  public SortedMap<Bytes, Bytes> sessions() {
    NavigableMap<Bytes, Bytes> found = new TreeMap<>();
    behind(StoreFormat.sessionKey(Bytes.EMPTY), found::put);
    return found;
  }

  /** Shows all values of keys with a prefix, by the rest of their keys. */
  private void behind(byte[] prefix, BiConsumer<Bytes, Bytes> visitor) {
    keys.forEach(
        prefix,
        (key, value) ->
            visitor.accept(
                Bytes.copyOf(key, prefix.length, key.length - prefix.length), Bytes.copyOf(value)));
  }

  /** Log offset up to which the rows are folded. */
  public long foldedOffset() {
    return folds.offset();
  }

  /** Log offset up to which the rows are folded and on disk: a crash does not roll it back. */
  public long durableOffset() throws IOException {
    try (OpenGate.Use unused = gate.enter()) {
      byte[] folded = map.durable(StoreFormat.foldedKey());
      return folded == null ? 0 : Binary.getLong(folded, 0);
    } catch (IOException e) {
      throw new IOException("cannot read the table: " + e.getMessage(), e);
    }
  }

  /**
   * Begins to write what is folded to disk, unless that is under way; {@link #durableOffset} tells
   * when it is there. Waits neither for that nor for compactions that lag.
   */
  public void startFlush() throws IOException {
    try (OpenGate.Use unused = gate.enter()) {
      map.startFlush();
    } catch (IOException e) {
      throw new IOException("cannot flush the table: " + e.getMessage(), e);
    }
  }

  /** Writes all folded rows to disk, and returns when the files are complete. */
  void flush() throws IOException {
    syncLog.sync();
    try {
      map.flush();
    } catch (IOException e) {
      throw new IOException("cannot flush the table: " + e.getMessage(), e);
    }
  }

  /** Rows folded since it was opened. */
  public long foldedRows() {
    return folds.rows();
  }

  /** Applies {@code batches} in order and records that all before the offset is folded. */
  public void fold(List<ChangeBatch> batches, long newFoldedOffset) throws IOException {
    fold(batches, newFoldedOffset, BesideRows.NONE);
  }

  /** As {@link #fold(List, long)}, with what is stored alongside the rows in the same write. */
  public void fold(List<ChangeBatch> batches, long newFoldedOffset, BesideRows beside)
      throws IOException {
    folds.fold(batches, newFoldedOffset, beside);
  }

  /**
   * Begins to fold {@code batches} in order, and to store what is {@code beside} the rows. No other
   * fold that is open has changes of their partitions.
   */
  public TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
    return folds.begin(batches, beside);
  }

  /** The failure with another message; a full disk stays a {@link DiskFullException}. */
  static IOException failed(String message, IOException failure) {
    return failure instanceof DiskFullException
        ? new DiskFullException(message)
        : new IOException(message, failure);
  }

  private byte[] valueOf(int partition, Bytes key) {
    byte[] array = key.toByteArray();
    return keys.get(StoreFormat.rowKey(partition, array, 0, array.length));
  }

  /** Whether the row exists. */
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    return keys.get(StoreFormat.rowKey(partition, array, keyOffset, keyBytes)) != null;
  }

  /** Type and value of each column of a row as they are encoded, by its name. */
  public Optional<SortedMap<String, Bytes>> encodedColumns(int partition, Bytes key) {
    return Optional.ofNullable(valueOf(partition, key))
        .map(found -> StoredRow.of(found, dictionaries.namesOf(partition)).values());
  }

  /** The rows that may expire, in order. */
  public ExpiryIndex expiries() {
    return new StoredExpiries(map, gate);
  }

  /** When a row was committed, in microseconds since 1970; 0 without a row. */
  public long commitMicros(int partition, Bytes key) {
    byte[] value = valueOf(partition, key);
    return value == null ? 0 : StoredRow.commitMicros(value);
  }

  @Override
  public Optional<FoundRow> find(int partition, Bytes key) {
    byte[] array = key.toByteArray();
    byte[] rowKey = StoreFormat.rowKey(partition, array, 0, array.length);
    return Optional.ofNullable(keys.get(rowKey))
        .map(value -> new StoreFound(rowKey, value, StoreFound.Names.of(dictionaries, partition)));
  }

  /** Is given a row's encoded key and columns; false stops before the row is taken. */
  @FunctionalInterface
  public interface RowVisitor {
    /** Looks at a row. */
    boolean row(Bytes key, List<Column> columns);
  }

  @Override
  public boolean look(
      int partition, Bytes from, Bytes to, boolean forward, FoundRow.Visitor visitor) {
    try (OpenGate.Use unused = gate.enter();
        ByteMap.Cursor at =
            map.between(
                StoreFormat.lowerBound(partition, from),
                StoreFormat.upperBound(partition, to),
                true)) {
      if (forward) {
        at.toFirst();
      } else {
        at.toLast();
      }
      StoreFound.Names names = StoreFound.Names.of(dictionaries, partition);
      while (at.isValid()) {
        if (!visitor.row(new StoreFound(at.key(), at.value(), names))) {
          return false;
        }
        if (forward) {
          at.next();
        } else {
          at.prev();
        }
      }
      at.requireWhole();
      return true;
    }
  }

  @Override
  public TableSnapshot snapshot() {
    return reads.take();
  }

  /** All entries of a partition as they are now, to be read in slices. */
  public PartitionScan scanEntries(int partition) {
    return new PartitionScan(reads, partition);
  }

  /**
   * Begins to replace all entries of a partition; for the thread that folds. All changes of the
   * partition that the log has are folded or will never be.
   */
  public PartitionLoad load(int partition) throws IOException {
    PartitionLoad.Into into = new PartitionLoad.Into(map, gate);
    return PartitionLoad.begin(into, partition, dictionaries.drop(partition));
  }

  /** Snapshots that are not released, or still read from. */
  public int snapshotCount() {
    return reads.count();
  }

  /**
   * Rows of a partition.
   *
   * @param rows how many
   * @param isExact whether they were counted one by one; otherwise {@code rows} is an estimate
   * @param bytes an estimate of the bytes they take in memory and on disk
   */
  public record RowCount(long rows, boolean isExact, long bytes) {}

  @Override
  public RowCount count(int partition, long countedMax) {
    try (OpenGate.Use unused = gate.enter()) {
      return RowCounts.of(map, partition, countedMax);
    }
  }

  /** The partitions that have rows. */
  public SortedSet<Integer> partitions() {
    SortedSet<Integer> partitions = new TreeSet<>();
    try (OpenGate.Use unused = gate.enter();
        ByteMap.Cursor at = map.all()) {
      int next = StoreFormat.SYSTEM_PARTITION + 1;
      for (at.seek(StoreFormat.partitionKey(next)); at.isValid(); ) {
        next = Binary.getInt(at.key(), 0) + 1;
        partitions.add(next - 1);
        at.seek(StoreFormat.partitionKey(next));
      }
      at.requireWhole();
    }
    return partitions;
  }

  /** Removes the rows of partitions that exist no more, which a crash may have left behind. */
  public void retainPartitions(IntPredicate isLive) throws IOException {
    for (int partition : partitions()) {
      if (!isLive.test(partition)) {
        dropPartition(partition);
      }
    }
    try (OpenGate.Use unused = gate.enter();
        ByteMap.Cursor at = map.all()) {
      retainDictionaries(at, isLive);
    }
  }

  /** Refuses rows that carry another origin. */
  public void requireOrigin(int origin) throws IOException {
    if (!StoreFormat.isOrigin(keys.get(StoreFormat.originKey()), origin)) {
      throw new IOException(
          "the rows were written under another catalog: rows and catalog do not belong together."
              + " Nothing was changed; restore both from one backup");
    }
  }

  /** Ties the rows to the catalog of that origin; none with 0. */
  public void noteOrigin(int origin) throws IOException {
    if (origin == 0 || keys.get(StoreFormat.originKey()) != null) {
      return;
    }
    WriteBatchSink write = WriteBatchSink.small();
    write.put(StoreFormat.originKey(), StoreFormat.origin(origin));
    try (OpenGate.Use unused = gate.enter()) {
      map.write(write.toByteArray());
    } catch (IOException e) {
      throw failed("cannot note whose rows these are: " + e.getMessage(), e);
    }
  }

  /** A partition may have dictionaries without having rows. */
  private void retainDictionaries(ByteMap.Cursor at, IntPredicate isLive) throws IOException {
    byte[] kind = Arrays.copyOf(StoreFormat.dictionariesOf(0), 5);
    for (at.seek(kind); at.isValid() && StoredKeys.startsWith(at.key(), kind); ) {
      int partition = StoreFormat.dictionaryPartition(at.key());
      if (!isLive.test(partition)) {
        dropPartition(partition);
      }
      at.seek(StoreFormat.dictionariesOf(partition + 1));
    }
  }

  /**
   * Deletes at once the files that hold rows of a partition alone, as far as there are any, also
   * where there is no space for any write. {@link #dropPartition} removes what is left.
   */
  public void dropFiles(int partition) throws IOException {
    byte[] last = StoreFormat.partitionKey(partition + 1);
    try (OpenGate.Use unused = gate.enter()) {
      map.deleteFiles(StoreFormat.partitionKey(partition), last);
    } catch (IOException e) {
      throw failed("cannot delete files of partition " + partition + ": " + e.getMessage(), e);
    }
  }

  /** Removes all rows of a partition, with their names. */
  public void dropPartition(int partition) throws IOException {
    WriteBatchSink write = WriteBatchSink.small();
    try (OpenGate.Use unused = gate.enter()) {
      dictionaries.drop(partition);
      for (KeyRange range : KeyRange.values()) {
        write.deleteRange(range.first(partition), range.end(partition));
      }
      map.write(write.toByteArray());
    } catch (IOException e) {
      throw failed("cannot drop partition " + partition + ": " + e.getMessage(), e);
    }
  }

  /** A figure that RocksDB keeps of itself, 0 when it has none of that name, or is closed. */
  public long figure(String property) {
    try (OpenGate.Use unused = gate.enter()) {
      return map.figure(property);
    } catch (RefusedException e) {
      return 0;
    }
  }

  /**
   * Writes everything folded to disk, so that the next start replays nothing, and closes the store.
   * When the log cannot be made durable, what is in memory is dropped: a table that is ahead of its
   * log on disk could not be opened again, and the log has all of it that is durable.
   *
   * <p>Waits for those who read; who reads later is refused with SHUTTING_DOWN. Idempotent.
   */
  @Override
  public void close() throws IOException {
    if (!gate.close()) {
      return;
    }
    reads.close();
    try {
      flush();
    } finally {
      map.close();
    }
  }
}
