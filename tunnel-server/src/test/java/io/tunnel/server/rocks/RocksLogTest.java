package io.tunnel.server.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksLogTest {

  @TempDir private Path directory;

  /** They would grow as long as the store is open, where no limit of the server's log holds. */
  @Test
  void a_store_leaves_no_log_files_of_its_own() throws IOException {
    TableStoreConfig config = new TableStoreConfig(1 << 20, 1 << 20, 1);
    for (int i = 0; i < 2; i++) {
      TableStore.open(directory, config, () -> {}).close();
    }
    try (Stream<Path> files = Files.list(directory)) {
      List<String> names = files.map(file -> file.getFileName().toString()).toList();
      assertThat(names).contains("CURRENT").noneMatch(name -> name.startsWith("LOG"));
    }
  }
}
