package io.tunnel.cli.export;

import io.tunnel.cli.export.ExportFile.Part;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.stress.file.TypedRows;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.StopSignal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/** Compares the files of an export with what the export says of them, before a row is imported. */
final class ExportCheck {

  private static final int BUFFER_BYTES = 256 * 1024;

  private final Path directory;
  private final ExportFile export;
  private final ProgressBar bar;
  private final PartThreads threads = new PartThreads();

  ExportCheck(Path directory, ExportFile export, ProgressBar bar) {
    this.directory = directory;
    this.export = export;
    this.bar = bar;
  }

  /**
   * Returns whether all files were compared; they were not when {@code signal} was asked.
   *
   * @throws CommandFailure when a file is not as it was written; names the file, the first line
   *     that is damaged, and why
   */
  boolean run(int threadCount, StopSignal signal) throws Exception {
    threads.run(export.parts().size(), threadCount, signal, this::check, () -> bar.add(0));
    return !threads.isStopped();
  }

  private void check(int number) throws IOException {
    Part part = export.parts().get(number);
    Path file = ExportDirectory.part(directory, number);
    if (Files.notExists(file)) {
      throw new CommandFailure(
          ExitCode.FAILED,
          "DAMAGED_EXPORT",
          "the file " + file + " of the export is missing; nothing was imported",
          "Take the file from another copy of the export, or export the table again");
    }
    CRC32C crc = new CRC32C();
    long bytes = 0;
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (threads.isStopped()) {
          return;
        }
        crc.update(buffer, 0, count);
        bytes += count;
        bar.add(count);
      }
    }
    if (bytes != part.bytes() || crc.getValue() != part.crc32c()) {
      throw refusal(file, damage(file, part, bytes));
    }
  }

  /** Looks for the first line that is no row, or comes out of the order of the keys. */
  private String damage(Path file, Part part, long bytes) throws IOException {
    List<PrimaryKeySchema> key = export.source().table().primaryKey();
    long rows = 0;
    try (TypedRows lines = new TypedRows(Files.newInputStream(file), key)) {
      Optional<Bytes> last = Optional.empty();
      for (RowPutChange row = lines.next(); row != null; row = lines.next()) {
        rows++;
        Bytes encoded = KeyCodec.encode(row.primaryKey(), key);
        if (last.isPresent() && last.get().compareTo(encoded) >= 0) {
          return "line "
              + lines.line()
              + ": its key does not come after the key of the line before";
        }
        last = Optional.of(encoded);
      }
    } catch (BadLineException e) {
      return e.getMessage();
    }
    return rows == part.rows()
        ? "each of its "
            + Human.counted(rows, "line")
            + " is a row, but its checksum is not the one of the export: a row was changed"
        : "it ends after line "
            + Human.count(rows)
            + " and "
            + Human.count(bytes)
            + " bytes, and the export wrote "
            + Human.counted(part.rows(), "line")
            + " and "
            + Human.count(part.bytes())
            + " bytes";
  }

  private static CommandFailure refusal(Path file, String why) {
    return new CommandFailure(
        ExitCode.FAILED,
        "DAMAGED_EXPORT",
        file + " is not as it was exported; nothing was imported: " + why,
        "'tunnel tables put --from' writes the rows of one file without this check");
  }
}
