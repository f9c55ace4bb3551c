package io.tunnel.bench.fold;

import io.tunnel.codec.Binary;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** Takes rows partition by partition, and keeps them in one way. For one thread. */
abstract class Keeper implements AutoCloseable {

  /** Rows of a partition, by their hashes and in the order of their keys. */
  abstract void add(int partition, long[] hashes) throws RocksDBException;

  /** What was added since the last time belongs together. */
  abstract void fold() throws RocksDBException;

  /** Nothing comes any more. */
  abstract void end() throws RocksDBException;

  @Override
  public abstract void close();

  /** Writes them as one batch, without RocksDB's own log; without a store, into an array alone. */
  static final class Batches extends Keeper {

    private static final int HEADER_BYTES = 12;
    private static final int COUNT_OFFSET = 8;
    private static final int PUT = 1;

    private final Optional<RocksDB> db;
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
    private byte[] batch = new byte[1 << 20];
    private int end = HEADER_BYTES;
    private int count;

    /** Into that store; without one nothing is kept. */
    Batches(Optional<RocksDB> db) {
      this.db = db;
    }

    @Override
    void add(int partition, long[] hashes) {
      int bytes = FoldedRows.KEY_BYTES + FoldedRows.VALUE_BYTES + 4;
      int needed = end + hashes.length * bytes;
      if (needed > batch.length) {
        batch = Arrays.copyOf(batch, needed);
      }
      for (long hash : hashes) {
        batch[end++] = PUT;
        batch[end++] = FoldedRows.KEY_BYTES;
        FoldedRows.writeKey(partition, hash, batch, end);
        end += FoldedRows.KEY_BYTES;
        end = Binary.putVarint(batch, end, FoldedRows.VALUE_BYTES);
        FoldedRows.writeValue(hash, batch, end);
        end += FoldedRows.VALUE_BYTES;
        count++;
      }
    }

    @Override
    void fold() throws RocksDBException {
      Binary.putInt(batch, COUNT_OFFSET, Integer.reverseBytes(count));
      if (db.isPresent()) {
        try (WriteBatch write = new WriteBatch(Arrays.copyOf(batch, end))) {
          db.get().write(unlogged, write);
        }
      }
      end = HEADER_BYTES;
      count = 0;
    }

    @Override
    void end() {}

    @Override
    public void close() {
      unlogged.close();
    }
  }

  /**
   * Gathers rows with a table of their hashes, in which a reader would find them, and has each lot
   * taken in as one file.
   */
  static final class Files extends Keeper {

    private final RocksDB db;
    private final Options options;
    private final Path directory;
    private final int rowsMax;
    private final List<List<long[]>> gathered = new ArrayList<>();
    private final long[] seen;
    private final ByteBuffer key = ByteBuffer.allocateDirect(FoldedRows.KEY_BYTES);
    private final ByteBuffer value = ByteBuffer.allocateDirect(FoldedRows.VALUE_BYTES);
    private final byte[] bytes = new byte[FoldedRows.VALUE_BYTES];
    private int rows;
    private int files;

    Files(RocksDB db, Options options, Path directory, int partitions, long gatheredBytes) {
      this.db = db;
      this.options = options;
      this.directory = directory;
      rowsMax = (int) (gatheredBytes / (FoldedRows.KEY_BYTES + FoldedRows.VALUE_BYTES));
      seen = new long[Integer.highestOneBit(rowsMax) * 4];
      for (int i = 0; i < partitions; i++) {
        gathered.add(new ArrayList<>());
      }
    }

    @Override
    void add(int partition, long[] hashes) {
      gathered.get(partition).add(hashes);
      rows += hashes.length;
      for (long hash : hashes) {
        int place = (int) hash & (seen.length - 1);
        while (seen[place] != 0) {
          place = (place + 1) & (seen.length - 1);
        }
        seen[place] = hash;
      }
    }

    @Override
    void fold() throws RocksDBException {
      if (rows >= rowsMax) {
        takeIn();
      }
    }

    @Override
    void end() throws RocksDBException {
      if (rows > 0) {
        takeIn();
      }
    }

    private void takeIn() throws RocksDBException {
      Path file = directory.resolve("gathered-" + files++ + ".sst");
      // Young files are soon rewritten, so packing them is wasted work, as in a server.
      try (EnvOptions env = new EnvOptions();
          Options unpacked =
              new Options(options)
                  .setCompressionPerLevel(List.of())
                  .setCompressionType(CompressionType.NO_COMPRESSION);
          SstFileWriter writer = new SstFileWriter(env, unpacked);
          IngestExternalFileOptions moved = new IngestExternalFileOptions().setMoveFiles(true)) {
        writer.open(file.toString());
        for (int partition = 0; partition < gathered.size(); partition++) {
          write(writer, partition, gathered.get(partition));
        }
        writer.finish();
        db.ingestExternalFile(List.of(file.toString()), moved);
      }
      Arrays.fill(seen, 0);
      rows = 0;
    }

    private void write(SstFileWriter writer, int partition, List<long[]> some)
        throws RocksDBException {
      long[] all = some.stream().flatMapToLong(Arrays::stream).toArray();
      some.clear();
      Arrays.sort(all);
      for (long hash : all) {
        FoldedRows.writeKey(partition, hash, bytes, 0);
        key.clear().put(bytes, 0, FoldedRows.KEY_BYTES).flip();
        FoldedRows.writeValue(hash, bytes, 0);
        value.clear().put(bytes).flip();
        writer.put(key, value);
      }
    }

    @Override
    public void close() {}
  }
}
