package io.tunnel.server.table;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Replaces all entries of a partition. Entries come in the order of their keys. A range of a few
 * MiB is written as a fold is; a larger one becomes files of this range alone, which the map takes
 * in without a write buffer: a file over several ranges would lie across the keys of all other
 * partitions.
 *
 * <p>Invariant: while the load is not complete, no state of a replica is stored for the partition,
 * so a start after a crash finds rows without a state and drops them. First one write removes state
 * and entries, and is flushed: the map keeps a file that it has taken in, but loses writes that are
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

  private final Into into;
  private final int partition;
  private final int addedToIds;
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

  private Optional<ByteMap.Addition> file = Optional.empty();

  /** Bytes of the keys and values in {@link #file}. */
  private long fileBytes;

  private int fileCount;

  /** Whether {@link #finish} has returned, or {@link #close} was called. */
  private boolean isEnded;

  /** An open store. */
  record Into(ByteMap map, OpenGate gate) {}

  private PartitionLoad(Into into, int partition, int addedToIds) {
    this.into = into;
    this.partition = partition;
    this.addedToIds = addedToIds;
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
      if (!load.isEmpty()) {
        load.removeAll();
      }
      // Also what was folded before: the local log may forget the partition's changes.
      into.map().flush();
    } catch (IOException e) {
      throw load.failed("remove the former rows", e);
    }
    return load;
  }

  private boolean isEmpty() throws IOException {
    if (into.map().get(StoreFormat.stateKey(partition)) != null) {
      return false;
    }
    try (ByteMap.Cursor at = into.map().all()) {
      for (KeyRange each : KeyRange.values()) {
        at.seek(each.first(partition));
        if (at.isValid() && Arrays.compareUnsigned(at.key(), each.end(partition)) < 0) {
          return false;
        }
        at.requireWhole();
      }
      return true;
    } catch (RefusedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private void removeAll() throws IOException {
    WriteBatchSink write = WriteBatchSink.small();
    write.delete(StoreFormat.stateKey(partition));
    for (KeyRange each : KeyRange.values()) {
      write.deleteRange(each.first(partition), each.end(partition));
    }
    into.map().write(write.toByteArray());
  }

  /**
   * Takes the next entry, whose key and value are in {@code array}. The key is that of {@link
   * PartitionScan.Visitor}.
   *
   * @throws MalformedException when no store has such an entry
   * @throws io.tunnel.server.disk.DiskFullException when the disk is full; close the load and begin
   *     again when there is space
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
    } catch (IOException e) {
      throw failed("load rows", e);
    }
  }

  private void put(byte[] key, byte[] value) throws IOException {
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

  private void moveToFile() throws IOException {
    if (file.isEmpty()) {
      fileCount++;
      fileBytes = 0;
      file = Optional.of(into.map().add(partition + "-" + fileCount));
    }
    for (int i = 0; i < gathered.size(); i += 2) {
      byte[] key = gathered.get(i);
      byte[] value = gathered.get(i + 1);
      file.get().put(key, value);
      fileBytes += key.length + value.length;
    }
    clearGathered();
    if (fileBytes >= FILE_BYTES_MAX) {
      takeInFile();
    }
  }

  private void clearGathered() {
    gathered.clear();
    gatheredBytes = 0;
  }

  private void takeInFile() throws IOException {
    file.get().finish();
    file = Optional.empty();
  }

  private void endRange(Optional<Bytes> state) throws IOException {
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
    into.map().write(sink.toByteArray());
  }

  /**
   * Completes the load: stores the last entries, and with them the state of the replica, durably:
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
      into.map().flush();
      isEnded = true;
    } catch (IOException e) {
      throw failed("load rows", e);
    }
  }

  private void requireOpen() {
    if (isEnded) {
      throw new IllegalStateException("the load of partition " + partition + " has ended");
    }
  }

  private IOException failed(String what, IOException failure) {
    return TableStore.failed(
        "cannot " + what + " of partition " + partition + ": " + failure.getMessage(), failure);
  }

  /** Ends the load. Entries of a load that is not complete stay without a state. Idempotent. */
  @Override
  public void close() throws IOException {
    isEnded = true;
    clearGathered();
    if (file.isPresent()) {
      file.get().close();
      file = Optional.empty();
    }
  }
}
