package io.tunnel.server.table;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Replaces all entries of a partition. Entries come in the order of their keys. A range of a few
 * MiB is written as a fold is; a larger one becomes files of this range alone, which RocksDB takes
 * in without a write buffer: a file over several ranges would lie across the keys of all other
 * partitions.
 *
 * <p>Invariant: while the load is not whole, no state of a replica is stored for the partition, so
 * a start after a crash finds rows without a state and drops them. First one write removes state
 * and entries, and is flushed: RocksDB keeps a file that it has taken in, but loses writes that are
 * not flushed. The state is in the last write, and a flush keeps the order of the writes.
 *
 * <p>Ids of dictionaries are raised above those that the partition had since the store was opened:
 * a reader of former rows may still put a former dictionary into the cache.
 *
 * <p>For the thread that folds. No other thread reads the partition meanwhile.
 */
@SuppressWarnings("try") // A use of the gate is only ended.
public final class PartitionLoad implements Closeable {

  /** Bytes of a range from which on the range becomes a file. */
  static final int WRITTEN_BYTES_MAX = 4 << 20;

  /** Bytes of keys and values after which a file ends. */
  static final long FILE_BYTES_MAX = 256L << 20;

  private static final String DIRECTORY = "load";

  private final Into into;
  private final int partition;
  private final int addedToIds;
  private final Path directory;
  private final WriteBatchSink sink = new WriteBatchSink();

  /** Of the last entry. */
  private KeyRange range = KeyRange.BOUND;

  private byte[] first;

  /** Keys and values of the range in turns that are neither in the store nor in a file. */
  private final List<byte[]> gathered = new ArrayList<>();

  /** Of {@link #gathered}; at most {@link #WRITTEN_BYTES_MAX} between two calls. */
  private long gatheredBytes;

  /** Whether the range becomes files. */
  private boolean isLarge;

  private Optional<OpenFile> file = Optional.empty();
  private int fileCount;

  /** Whether {@link #finish} has returned, or {@link #close} was called. */
  private boolean isEnded;

  /** An open store. */
  record Into(RocksDB db, OpenGate gate, StoreResources resources) {}

  /** A file that is written, and the bytes of its keys and values. */
  private static final class OpenFile {
    private final Path path;
    private final EnvOptions environment = new EnvOptions();
    private final SstFileWriter writer;
    private long bytes;

    OpenFile(Path path, StoreResources resources) {
      this.path = path;
      this.writer = new SstFileWriter(environment, resources.options());
    }

    void put(byte[] key, byte[] value) throws RocksDBException {
      writer.put(key, value);
      bytes += key.length + value.length;
    }

    void close() {
      writer.close();
      environment.close();
    }
  }

  private PartitionLoad(Into into, int partition, int addedToIds) {
    this.into = into;
    this.partition = partition;
    this.addedToIds = addedToIds;
    this.directory = Path.of(into.db().getName()).resolve(DIRECTORY);
    this.first = range.first(partition);
  }

  /**
   * Removes what the partition has, durably.
   *
   * @param addedToIds of dictionaries
   */
  static PartitionLoad begin(Into into, int partition, int addedToIds) throws IOException {
    PartitionLoad load = new PartitionLoad(into, partition, addedToIds);
    try (OpenGate.Use unused = into.gate().enter()) {
      Files.createDirectories(load.directory);
      if (!load.isEmpty()) {
        load.removeAll();
      }
      // Also what was folded before: the local log may forget the partition's changes.
      load.flush();
    } catch (RocksDBException e) {
      throw load.failed("remove the former rows", e);
    }
    return load;
  }

  /** Deletes the files that a crash left of loads into a store that nobody has opened yet. */
  static void deleteFiles(Path store) throws IOException {
    Path left = store.resolve(DIRECTORY);
    if (Files.isDirectory(left)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(left)) {
        for (Path each : files) {
          Files.delete(each);
        }
      }
      Files.delete(left);
    }
  }

  private boolean isEmpty() throws RocksDBException {
    if (into.db().get(StoreFormat.stateKey(partition)) != null) {
      return false;
    }
    try (RocksIterator at = into.db().newIterator()) {
      for (KeyRange each : KeyRange.values()) {
        at.seek(each.first(partition));
        if (at.isValid() && Arrays.compareUnsigned(at.key(), each.end(partition)) < 0) {
          return false;
        }
        at.status();
      }
    }
    return true;
  }

  private void removeAll() throws RocksDBException {
    try (WriteBatch write = new WriteBatch();
        WriteOptions unlogged = new WriteOptions().setDisableWAL(true)) {
      write.delete(StoreFormat.stateKey(partition));
      for (KeyRange each : KeyRange.values()) {
        write.deleteRange(each.first(partition), each.end(partition));
      }
      into.db().write(unlogged, write);
    }
  }

  private void flush() throws RocksDBException {
    try (FlushOptions wait = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
      into.db().flush(wait);
    }
  }

  /**
   * Takes the next entry, whose key and value are in {@code array}. The key is that of {@link
   * PartitionScan.Visitor}.
   *
   * @throws MalformedException when no store has such an entry
   * @throws io.tunnel.server.disk.DiskFullException when the disk is full; close the load and begin
   *     it anew when there is space
   */
  public void put(
      KeyRange entryRange, byte[] array, int keyOffset, int keyBytes, int valueOffset, int bytes)
      throws IOException {
    requireOpen();
    entryRange.requireEntry(keyBytes, bytes);
    byte[] value = Arrays.copyOfRange(array, valueOffset, valueOffset + bytes);
    try (OpenGate.Use unused = into.gate().enter()) {
      if (entryRange != range) {
        endRange(Optional.empty());
        range = entryRange;
        first = range.first(partition);
      }
      put(range.key(first, array, keyOffset, keyBytes), value);
    } catch (RocksDBException e) {
      throw failed("load rows", e);
    }
  }

  private void put(byte[] key, byte[] value) throws IOException, RocksDBException {
    byte[] storedKey = key;
    byte[] stored = value;
    if (range == KeyRange.DICTIONARY && addedToIds > 0) {
      int id = Math.addExact(StoreFormat.dictionaryId(key), addedToIds);
      storedKey = StoreFormat.dictionaryKey(new NameCache.Key(partition, id));
    } else if (range == KeyRange.ROW && addedToIds > 0) {
      stored = StoredRow.withDictionary(value, addedToIds);
    }
    gathered.add(storedKey);
    gathered.add(stored);
    gatheredBytes += storedKey.length + stored.length;
    if (isLarge || gatheredBytes > WRITTEN_BYTES_MAX) {
      isLarge = true;
      moveToFile();
    }
  }

  private void moveToFile() throws IOException, RocksDBException {
    if (file.isEmpty()) {
      file = Optional.of(new OpenFile(path(), into.resources()));
      file.get().writer.open(file.get().path.toString());
    }
    for (int i = 0; i < gathered.size(); i += 2) {
      file.get().put(gathered.get(i), gathered.get(i + 1));
    }
    clearGathered();
    if (file.get().bytes >= FILE_BYTES_MAX) {
      takeInFile();
    }
  }

  private Path path() {
    fileCount++;
    return directory.resolve(partition + "-" + fileCount + ".sst");
  }

  private void clearGathered() {
    gathered.clear();
    gatheredBytes = 0;
  }

  private void takeInFile() throws RocksDBException {
    OpenFile whole = file.get();
    whole.writer.finish();
    try (IngestExternalFileOptions move = new IngestExternalFileOptions().setMoveFiles(true)) {
      into.db().ingestExternalFile(List.of(whole.path.toString()), move);
    }
    whole.close();
    file = Optional.empty();
  }

  private void endRange(Optional<Bytes> state) throws RocksDBException {
    if (file.isPresent()) {
      takeInFile();
    }
    isLarge = false;
    sink.clear();
    for (int i = 0; i < gathered.size(); i += 2) {
      sink.put(gathered.get(i), gathered.get(i + 1));
    }
    state.ifPresent(bytes -> sink.put(StoreFormat.stateKey(partition), bytes.toByteArray()));
    clearGathered();
    try (WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
        WriteBatch write = new WriteBatch(sink.toByteArray())) {
      into.db().write(unlogged, write);
    }
  }

  /**
   * Makes the load whole: stores the last entries, and with them the state of the replica, durably:
   * the local log then gets changes that only this state makes sense of.
   *
   * @throws io.tunnel.server.disk.DiskFullException as {@link #put}
   */
  public void finish(Bytes state) throws IOException {
    finish(Optional.of(state));
  }

  /** As {@link #finish(Bytes)}, in the table of a single server, which stores no state. */
  public void finish() throws IOException {
    finish(Optional.empty());
  }

  private void finish(Optional<Bytes> state) throws IOException {
    requireOpen();
    try (OpenGate.Use unused = into.gate().enter()) {
      endRange(state);
      flush();
      isEnded = true;
    } catch (RocksDBException e) {
      throw failed("load rows", e);
    }
  }

  private void requireOpen() {
    if (isEnded) {
      throw new IllegalStateException("the load of partition " + partition + " has ended");
    }
  }

  private IOException failed(String what, RocksDBException failure) {
    return TableStore.failed(
        "cannot " + what + " of partition " + partition + ": " + failure.getMessage(), failure);
  }

  /** Ends the load. Entries of a load that is not whole stay without a state. Idempotent. */
  @Override
  public void close() throws IOException {
    isEnded = true;
    clearGathered();
    if (file.isPresent()) {
      OpenFile cut = file.get();
      file = Optional.empty();
      cut.close();
      Files.deleteIfExists(cut.path);
    }
  }
}
