package io.tunnel.server.rocks;

import io.tunnel.server.catalog.store.CatalogFile;
import io.tunnel.server.disk.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
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

/**
 * A small RocksDB, which syncs its write-ahead log with every write.
 *
 * <p>Opening one writes what the former write-ahead log holds into a new file, syncs that file, and
 * begins a new write-ahead log. A successful opening has thus made all texts durable, even texts
 * that only the system's cache held.
 */
public final class RocksCatalogFile implements CatalogFile {

  private static final long WRITE_BUFFER_BYTES = 4L * 1024 * 1024;

  private final Statistics statistics = new Statistics();
  private final Options options =
      new Options()
          .setCreateIfMissing(true)
          .setWriteBufferSize(WRITE_BUFFER_BYTES)
          .setStatistics(statistics);
  private final WriteOptions durable = new WriteOptions().setSync(true);
  private final RocksDB db;

  static {
    RocksLibrary.load();
  }

  /** Opens the database in {@code directory}, or creates one. */
  public RocksCatalogFile(Path directory) throws IOException {
    try {
      DurableFiles.create(directory);
      db = RocksDB.open(options, directory.toString());
    } catch (RocksDBException e) {
      closeOptions();
      throw failed("cannot open the catalog in " + directory, e);
    } catch (IOException e) {
      closeOptions();
      throw e;
    }
  }

  private static IOException failed(String what, RocksDBException failure) {
    return RocksWalk.failed(what + ": " + failure.getMessage(), failure);
  }

  @Override
  public Map<String, String> all() throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (RocksIterator at = db.newIterator()) {
      for (at.seekToFirst(); at.isValid(); at.next()) {
        all.put(text(at.key()), text(at.value()));
      }
      at.status();
    } catch (RocksDBException e) {
      throw failed("cannot read the catalog", e);
    }
    return all;
  }

  @Override
  public Map<String, Optional<String>> texts(Collection<String> names) throws IOException {
    Map<String, Optional<String>> texts = new LinkedHashMap<>();
    try {
      for (String name : names) {
        texts.put(name, Optional.ofNullable(db.get(bytes(name))).map(RocksCatalogFile::text));
      }
    } catch (RocksDBException e) {
      throw failed("cannot read the catalog", e);
    }
    return texts;
  }

  @Override
  public void write(Map<String, Optional<String>> changes) throws IOException {
    try (WriteBatch batch = new WriteBatch()) {
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
      throw failed("cannot write the catalog", e);
    }
  }

  @Override
  public long syncs() {
    return statistics.getTickerCount(TickerType.WAL_FILE_SYNCED);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    db.close();
    closeOptions();
  }

  private void closeOptions() {
    durable.close();
    options.close();
    statistics.close();
  }
}
