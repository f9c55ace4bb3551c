package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.rocks.ReadOnlyRocks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/** The rows of a shard as they lie on the disk, only looked at, while no server has them open. */
public final class StoredTable implements Closeable {

  private final ReadOnlyRocks rocks;
  private final Dictionaries dictionaries = new Dictionaries(new StoredKeys());
  private final long foldedOffset;
  private final int origin;
  private final boolean isFoldUnderWay;

  /**
   * Opens the table in {@code directory}.
   *
   * @throws IOException when it cannot be read
   */
  public StoredTable(Path directory) throws IOException {
    rocks = new ReadOnlyRocks(directory);
    try {
      byte[] folded = rocks.get(StoreFormat.foldedKey());
      foldedOffset = folded == null ? 0 : Binary.getLong(folded, 0);
      byte[] stored = rocks.get(StoreFormat.originKey());
      origin = stored == null ? 0 : Binary.getInt(stored, 0);
      isFoldUnderWay = folded != null && StoreFormat.isUnderWay(folded);
    } catch (IOException | RuntimeException e) {
      rocks.close();
      throw new IOException("cannot read the table in " + directory + ": " + e.getMessage(), e);
    }
  }

  /** What the dictionaries see of the store; no thread adds to them. */
  private final class StoredKeys implements Dictionaries.Source {
    @Override
    public byte[] get(byte[] key) {
      try {
        return rocks.get(key);
      } catch (IOException e) {
        throw new IllegalStateException("cannot read the table: " + e.getMessage(), e);
      }
    }

    @Override
    public void forEach(byte[] prefix, BiConsumer<byte[], byte[]> visitor) {
      throw new IllegalStateException("a table that is only read takes no dictionaries");
    }
  }

  /** Log offset up to which the rows are folded. */
  public long foldedOffset() {
    return foldedOffset;
  }

  /** Origin of the catalog whose partitions these are; 0 where none was noted. */
  public int origin() {
    return origin;
  }

  /** Whether the rows have some of the changes after {@link #foldedOffset}: a crash left that. */
  public boolean isFoldUnderWay() {
    return isFoldUnderWay;
  }

  /**
   * Reads every block of every file.
   *
   * @throws IOException when one does not match its checksum
   */
  public void verify() throws IOException {
    rocks.verify();
  }

  /** The partitions that have rows. */
  public SortedSet<Integer> partitions() throws IOException {
    SortedSet<Integer> partitions = new TreeSet<>();
    try (ByteMap.Cursor at = rocks.all()) {
      at.seek(StoreFormat.partitionKey(StoreFormat.SYSTEM_PARTITION + 1));
      while (at.isValid()) {
        int partition = Binary.getInt(at.key(), 0);
        partitions.add(partition);
        at.seek(StoreFormat.partitionKey(partition + 1));
      }
      at.requireWhole();
    } catch (RefusedException e) {
      throw new IOException(e.getMessage(), e);
    }
    return partitions;
  }

  /** Receives the rows in which two tables differ. */
  public interface Differences {
    /** Rows were compared. */
    void compared(long rows);

    /** A row that only the other table has. */
    void missing(int partition, Bytes key);

    /** A row that only this table has. */
    void extra(int partition, Bytes key);

    /** A row in both tables whose columns differ. */
    void different(int partition, Bytes key);
  }

  /** Compares the rows of the partitions that {@code isCompared} names with those of another. */
  public void compare(StoredTable other, IntPredicate isCompared, Differences differences)
      throws IOException {
    try (ByteMap.Cursor mine = rocks.all();
        ByteMap.Cursor theirs = other.rocks.all()) {
      byte[] first = StoreFormat.partitionKey(StoreFormat.SYSTEM_PARTITION + 1);
      mine.seek(first);
      theirs.seek(first);
      while (true) {
        skip(mine, isCompared);
        skip(theirs, isCompared);
        if (!mine.isValid() && !theirs.isValid()) {
          break;
        }
        int order = order(mine, theirs);
        differences.compared(1);
        if (order < 0) {
          differences.extra(partition(mine), StoreFormat.key(mine.key()));
        } else if (order > 0) {
          differences.missing(partition(theirs), StoreFormat.key(theirs.key()));
        } else if (!isEqual(
            mine.value(),
            theirs.value(),
            dictionaries.namesOf(partition(mine)),
            other.dictionaries.namesOf(partition(mine)))) {
          differences.different(partition(mine), StoreFormat.key(mine.key()));
        }
        if (order <= 0) {
          mine.next();
        }
        if (order >= 0) {
          theirs.next();
        }
      }
      mine.requireWhole();
      theirs.requireWhole();
    } catch (RefusedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static int partition(ByteMap.Cursor at) {
    return Binary.getInt(at.key(), 0);
  }

  private static void skip(ByteMap.Cursor at, IntPredicate isCompared) {
    while (at.isValid() && !isCompared.test(partition(at))) {
      at.seek(StoreFormat.partitionKey(partition(at) + 1));
    }
  }

  private static int order(ByteMap.Cursor mine, ByteMap.Cursor theirs) {
    if (!mine.isValid()) {
      return 1;
    }
    return theirs.isValid() ? Arrays.compareUnsigned(mine.key(), theirs.key()) : -1;
  }

  /** Commit times must agree too; numbers of dictionaries may differ where the rows do not. */
  private static boolean isEqual(
      byte[] mine,
      byte[] theirs,
      IntFunction<String[]> namesOfMine,
      IntFunction<String[]> namesOfTheirs) {
    return StoredRow.commitMicros(mine) == StoredRow.commitMicros(theirs)
        && StoredRow.of(mine, namesOfMine)
            .values()
            .equals(StoredRow.of(theirs, namesOfTheirs).values());
  }

  @Override
  public void close() {
    rocks.close();
  }
}
