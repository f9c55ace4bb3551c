package io.tunnel.cli.export;

import io.tunnel.codec.MalformedException;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.StandardStream;
import io.tunnel.wire.control.Json;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The directory of an export that is being written.
 *
 * <p>Invariants: what {@code export.partial.json} says of a part is durable in the part's file, and
 * {@code export.json} exists when all parts are complete. So a crash between any two steps leaves
 * either an export that can be resumed or a complete one.
 */
final class ExportDirectory implements Closeable {

  private static final String COMPLETE = "export.json";
  private static final String PARTIAL = "export.partial.json";
  private static final String LOCK = "LOCK";

  /** Some ten times what 1,024 partitions with the longest keys need. */
  private static final long FILE_BYTES_MAX = 128L << 20;

  private final Path path;
  private final FileChannel lockFile;

  private ExportDirectory(Path path, FileChannel lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  /** Opens a directory for writing, and creates the directory when it is missing. */
  static ExportDirectory open(Path path) throws IOException {
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw CommandFailure.usage(
          "--to names a directory, and '" + path + "' is none: name one that does not exist yet");
    }
    var unused = DurableFiles.create(path);
    if (Files.notExists(path.resolve(COMPLETE)) && Files.notExists(path.resolve(PARTIAL))) {
      requireEmpty(path);
    }
    return new ExportDirectory(path, lock(path));
  }

  private static void requireEmpty(Path path) throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      boolean hasOthers =
          files
              .map(file -> file.getFileName().toString())
              .anyMatch(name -> !name.equals(LOCK) && !name.startsWith(PARTIAL));
      if (hasOthers) {
        throw CommandFailure.usage(
            "'" + path + "' has other files and is no export: name an empty or a new directory");
      }
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    return PrivateFiles.openLocked(
            path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
        .orElseThrow(
            () ->
                new CommandFailure(
                    ExitCode.UNAVAILABLE,
                    "'"
                        + path
                        + "' is in use by another export: wait for its end, or name another"
                        + " directory"));
  }

  /** Whether a complete export is here. */
  boolean isComplete() {
    return Files.exists(path.resolve(COMPLETE));
  }

  /** The export that is here and may go on; empty in a new directory. */
  Optional<ExportFile> begun() throws IOException {
    if (isComplete()) {
      return Optional.of(read(path.resolve(COMPLETE)));
    }
    Path partial = path.resolve(PARTIAL);
    return Files.exists(partial) ? Optional.of(read(partial)) : Optional.empty();
  }

  /** Stores how far the export is; the parts' files have what {@code export} says. */
  void save(ExportFile export) throws IOException {
    DurableFiles.syncNames(path); // Parts are there before this file speaks of them.
    DurableFiles.replace(path.resolve(PARTIAL), bytes(export));
  }

  /** Ends the export, all of whose parts are complete. */
  void finish(ExportFile export) throws IOException {
    if (!export.isComplete()) {
      throw new IllegalStateException("parts are missing: " + export.parts());
    }
    DurableFiles.replace(path.resolve(COMPLETE), bytes(export));
    Files.deleteIfExists(path.resolve(PARTIAL));
  }

  private static ByteBuffer bytes(ExportFile export) {
    return ByteBuffer.wrap((Json.toText(export) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  Path part(int number) {
    return part(path, number);
  }

  /** The file of a part of the export in {@code directory}. */
  static Path part(Path directory, int number) {
    return directory.resolve(String.format(Locale.ROOT, "part-%05d.jsonl", number));
  }

  /**
   * The complete export in a directory.
   *
   * @throws CommandFailure when there is none; the message says what is there instead
   */
  static ExportFile complete(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.io(
          Files.exists(directory)
              ? "'" + directory + "' is a file; an export is a directory"
              : "there is no directory '" + directory + "'");
    }
    if (Files.notExists(directory.resolve(COMPLETE))) {
      throw CommandFailure.failed(
          Files.exists(directory.resolve(PARTIAL))
              ? "the export in '"
                  + directory
                  + "' is not complete: 'tunnel tables export --to "
                  + directory
                  + " --resume' completes it"
              : "'" + directory + "' is no export: it has no file " + COMPLETE);
    }
    ExportFile export = read(directory.resolve(COMPLETE));
    if (!export.isComplete()) {
      throw refusal(directory.resolve(COMPLETE), "a part is not complete");
    }
    return export;
  }

  private static ExportFile read(Path file) throws IOException {
    String text = StandardStream.read(file, FILE_BYTES_MAX);
    try {
      Json.requireUniqueNames(text);
      return Json.ofText(text, ExportFile.class);
    } catch (MalformedException e) {
      throw refusal(file, ExportFile.why(text, e));
    }
  }

  private static CommandFailure refusal(Path file, String why) {
    return CommandFailure.failed(
        "'"
            + file
            + "' was not written by 'tunnel tables export', or is damaged: "
            + why
            + ". Take the file from another copy of the export, or export the table to another"
            + " directory");
  }

  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
