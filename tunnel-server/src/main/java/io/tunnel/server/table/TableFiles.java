package io.tunnel.server.table;

import io.tunnel.server.rocks.ReadOnlyRocks;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The files of a stored table at one time, also while a server has the table open. Table files
 * never change; the manifest, which lists the current table files, only grows.
 *
 * @param tables names of the files of rows
 * @param manifest name of the manifest
 * @param manifestBytes length of the manifest at this time
 */
public record TableFiles(List<String> tables, String manifest, long manifestBytes) {

  private static final String CURRENT = "CURRENT";

  /** Copies. */
  public TableFiles {
    tables = List.copyOf(tables);
  }

  /** What a store reads first: the name of its manifest. */
  public static String current() {
    return CURRENT;
  }

  /**
   * Those in {@code directory}; nothing when no table was ever written there.
   *
   * @throws IOException when they cannot be read, or change with every look
   */
  public static Optional<TableFiles> in(Path directory) throws IOException {
    if (!Files.exists(directory.resolve(CURRENT))) {
      return Optional.empty();
    }
    AtomicReference<TableFiles> files = new AtomicReference<>();
    ReadOnlyRocks.whileUnchanged(directory, rocks -> files.set(look(rocks, directory)));
    return Optional.of(files.get());
  }

  /**
   * Makes a table with the rows of another in an empty or missing directory. The table can be
   * changed without any change of the other table's files: symbolic links share the files of rows,
   * because no store ever changes such a file.
   */
  public static void link(Path table, Path copy) throws IOException {
    TableFiles files =
        in(table).orElseThrow(() -> new IOException("there are no rows in " + table));
    Files.createDirectories(copy);
    for (String name : files.tables()) {
      share(table.resolve(name).toAbsolutePath(), copy.resolve(name));
    }
    // A server writes rows without RocksDB's write-ahead log, but a tool may have used the log.
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(table, "*.log")) {
      for (Path log : logs) {
        Files.copy(log, copy.resolve(log.getFileName()));
      }
    }
    Path manifest = copy.resolve(files.manifest());
    Files.copy(table.resolve(files.manifest()), manifest);
    try (FileChannel cut = FileChannel.open(manifest, StandardOpenOption.WRITE)) {
      cut.truncate(files.manifestBytes());
    }
    Files.writeString(copy.resolve(CURRENT), files.manifest() + "\n");
  }

  private static void share(Path file, Path link) throws IOException {
    try {
      Files.createSymbolicLink(link, file);
    } catch (UnsupportedOperationException | FileSystemException e) {
      // Not every file system has links.
      Files.copy(file, link);
    }
  }

  private static TableFiles look(ReadOnlyRocks rocks, Path directory) throws IOException {
    ReadOnlyRocks.LiveFiles live = rocks.files();
    String manifest = Files.readString(directory.resolve(CURRENT)).strip();
    return new TableFiles(live.names(), manifest, live.manifestBytes());
  }
}
