package io.tunnel.stress.file;

import io.tunnel.model.RowChange;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Rows that a command could not write, or of which it is not known whether they were applied, one
 * {@link TypedJson} a line, which {@code tunnel tables put --from} reads.
 */
public final class InDoubtFile implements Closeable {

  private final BufferedWriter out;

  /** Makes {@code file}, or empties it. */
  public InDoubtFile(Path file) throws IOException {
    this(Files.newBufferedWriter(file));
  }

  private InDoubtFile(BufferedWriter out) {
    this.out = out;
  }

  /** Opens {@code file} for rows after the rows of a former run; creates a missing file. */
  public static InDoubtFile append(Path file) throws IOException {
    return new InDoubtFile(
        Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  public void write(List<? extends RowChange> rows) throws IOException {
    for (RowChange row : rows) {
      out.write(toJson(row));
      out.newLine();
    }
  }

  /** Hands what was written to the operating system. */
  public void flush() throws IOException {
    out.flush();
  }

  public static String toJson(RowChange row) {
    return TypedJson.of(row).toString();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
