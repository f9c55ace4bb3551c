package io.tunnel.server.backup;

import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.table.TableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The catalog and the rows of a data directory, which RocksDB stores. A simulation stores both in
 * memory, and takes and restores its backups by the code that ships.
 */
interface Stores {

  /** The stores of every data directory on a disk. */
  Stores ROCKS =
      new Stores() {
        @Override
        public StoredCatalog catalog(Path directory) throws IOException {
          return StoredCatalog.read(directory);
        }

        @Override
        public void createCatalog(Path directory, Map<String, String> texts) throws IOException {
          StoredCatalog.write(directory, texts);
        }

        @Override
        public Optional<TableFiles> table(Path directory) throws IOException {
          return TableFiles.in(directory);
        }
      };

  /** The catalog in {@code directory} at one time, even while a server writes to the catalog. */
  StoredCatalog catalog(Path directory) throws IOException;

  /** Creates a catalog with these texts, which are durable when the method returns. */
  void createCatalog(Path directory, Map<String, String> texts) throws IOException;

  /** The files of the rows in {@code directory} at one time; empty when no row was stored. */
  Optional<TableFiles> table(Path directory) throws IOException;
}
