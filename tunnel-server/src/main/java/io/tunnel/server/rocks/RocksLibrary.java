package io.tunnel.server.rocks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * RocksDB's native code. By itself RocksDB leaves 17 MB among the temporary files whenever a
 * process is killed; here the file is gone as soon as it is loaded.
 */
public final class RocksLibrary {

  static {
    try {
      unpackAndLoad();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot unpack RocksDB's native code into "
              + System.getProperty("java.io.tmpdir")
              + "; make space there, or name another directory with -Djava.io.tmpdir",
          e);
    }
    RocksDB.loadLibrary();
  }

  private RocksLibrary() {}

  /** Returns when it is loaded. Idempotent. */
  public static void load() {
    // The class does it when it is first used.
  }

  private static void unpackAndLoad() throws IOException {
    Path directory = Files.createTempDirectory("tunnel-rocksdb-");
    try {
      NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
    } finally {
      File[] files = directory.toFile().listFiles();
      for (File file : files == null ? new File[0] : files) {
        delete(file);
      }
      delete(directory.toFile());
    }
  }

  /** Where a loaded file cannot be deleted, it goes when the process ends. */
  private static void delete(File file) {
    if (!file.delete()) {
      file.deleteOnExit();
    }
  }
}
