package io.tunnel.server.catalog.store;

import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.table.OpenGate;
import io.tunnel.server.table.RocksLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** A store in a small RocksDB of its own, which syncs its write-ahead log with every write. */
@SuppressWarnings("try") // A use of the gate is only ended.
final class RocksCatalogStore implements CatalogStore {

  private static final long WRITE_BUFFER_BYTES = 4L * 1024 * 1024;

  private final Statistics statistics = new Statistics();
  private final Options options =
      new Options()
          .setCreateIfMissing(true)
          .setWriteBufferSize(WRITE_BUFFER_BYTES)
          .setStatistics(statistics);
  private final WriteOptions durable = new WriteOptions().setSync(true);
  private final OpenGate gate = new OpenGate();
  private final RocksDB db;

  static {
    RocksLibrary.load();
  }

  /** Opens the store in {@code directory}, or creates one. */
  RocksCatalogStore(Path directory) throws IOException {
    DurableFiles.create(directory);
    try {
      db = RocksDB.open(options, directory.toString());
    } catch (RocksDBException e) {
      throw new IOException("cannot open the catalog in " + directory + ": " + e.getMessage(), e);
    }
  }

  @Override
  public Map<String, String> all() {
    Map<String, String> all = new TreeMap<>();
    try (OpenGate.Use unused = gate.enter();
        RocksIterator at = db.newIterator()) {
      for (at.seekToFirst(); at.isValid(); at.next()) {
        all.put(text(at.key()), text(at.value()));
      }
    }
    return all;
  }

  @Override
  public void write(Map<String, Optional<String>> changes) throws IOException {
    try (OpenGate.Use unused = gate.enter();
        WriteBatch batch = new WriteBatch()) {
      for (Map.Entry<String, Optional<String>> change : changes.entrySet()) {
        byte[] key = bytes(change.getKey());
        if (change.getValue().isPresent()) {
          batch.put(key, bytes(change.getValue().get()));
        } else {
          batch.delete(key);
        }
      }
      db.write(durable, batch);
    } catch (RocksDBException e) {
      throw new IOException("cannot write the catalog: " + e.getMessage(), e);
    }
  }

  @Override
  public long syncs() {
    try (OpenGate.Use unused = gate.enter()) {
      return statistics.getTickerCount(TickerType.WAL_FILE_SYNCED);
    } catch (RefusedException e) {
      return 0;
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    if (gate.close()) {
      db.close();
      durable.close();
      options.close();
      statistics.close();
    }
  }
}
