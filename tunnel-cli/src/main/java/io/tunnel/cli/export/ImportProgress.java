package io.tunnel.cli.export;

import io.tunnel.codec.MalformedException;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StandardStream;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * How far an import is: one JSON object in the file of {@code --progress}.
 *
 * @param format always {@link #FORMAT}
 * @param version of the format, always {@link #VERSION}
 * @param export the export that is imported
 * @param target the table that the rows are written to
 * @param done of each part, the lines from the first on whose rows are applied or rejected
 * @param rejected rows that were rejected; a row of a run that was killed may count twice
 */
record ImportProgress(
    String format, int version, Exported export, Target target, List<Long> done, long rejected) {

  static final String FORMAT = "tunnel-table-import";

  static final int VERSION = 1;

  private static final long FILE_BYTES_MAX = 1L << 20;

  /**
   * What identifies an export.
   *
   * @param startedMs when the export began, in milliseconds since 1970
   */
  record Exported(long startedMs, long rows, long bytes) {}

  /**
   * A table of a server.
   *
   * @param createdMs when the table was created, in milliseconds since 1970
   */
  record Target(String table, int tableId, long createdMs) {
    Target {
      Objects.requireNonNull(table, "table");
    }
  }

  ImportProgress {
    ExportFile.requireForm(format, FORMAT, version, VERSION);
    Objects.requireNonNull(export, "export");
    Objects.requireNonNull(target, "target");
    done = List.copyOf(done);
  }

  /** Nothing is imported yet. */
  static ImportProgress begin(ExportFile export, TableInfo table) {
    return new ImportProgress(
        FORMAT,
        VERSION,
        new Exported(export.startedMs(), export.rows(), export.bytes()),
        new Target(table.meta().name(), table.tableId(), table.createdMs()),
        Collections.nCopies(export.parts().size(), 0L),
        0);
  }

  ImportProgress with(List<Long> newDone, long newRejected) {
    return new ImportProgress(format, version, export, target, newDone, newRejected);
  }

  long rows() {
    return done.stream().mapToLong(Long::longValue).sum();
  }

  /**
   * The progress in {@code file}, or none when the file does not exist.
   *
   * @throws CommandFailure when the file is of another import, or no file of an import
   */
  static ImportProgress read(Path file, ExportFile export, TableInfo table) throws IOException {
    ImportProgress begin = begin(export, table);
    if (Files.notExists(file)) {
      return begin;
    }
    ImportProgress read;
    String text = StandardStream.read(file, FILE_BYTES_MAX);
    try {
      Json.requireUniqueNames(text);
      read = Json.ofText(text, ImportProgress.class);
    } catch (MalformedException e) {
      throw CommandFailure.failed(
          "'"
              + file
              + "' is no progress of an import: "
              + ExportFile.why(text, e)
              + ". Name the file of --progress of the former import, or a file that does not exist"
              + " to import from the first row");
    }
    if (!read.with(begin.done(), 0).equals(begin) || !read.isWithin(export)) {
      throw CommandFailure.failed(
          "'"
              + file
              + "' is the progress of another export or table, or the table was created again"
              + " since: delete the file, or name another");
    }
    return read;
  }

  private boolean isWithin(ExportFile export) {
    boolean isWithin = done.size() == export.parts().size();
    for (int i = 0; isWithin && i < done.size(); i++) {
      isWithin = done.get(i) >= 0 && done.get(i) <= export.parts().get(i).rows();
    }
    return isWithin;
  }

  void write(Path file) throws IOException {
    DurableFiles.replace(
        file, ByteBuffer.wrap((Json.toText(this) + "\n").getBytes(StandardCharsets.UTF_8)));
  }
}
