package io.tunnel.stress.file;

import io.tunnel.model.RowChange;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The rows of which it is not known whether they were applied, one {@link TypedJson} a line, which
 * {@code tunnel tables put --from} reads.
 */
public final class InDoubtFile implements Closeable {

  private final BufferedWriter out;

  /** Makes {@code file}, or empties it. */
  public InDoubtFile(Path file) throws IOException {
    out = Files.newBufferedWriter(file);
  }

  public void write(List<RowChange> rows) throws IOException {
    for (RowChange row : rows) {
      out.write(toJson(row));
      out.newLine();
    }
  }

  public static String toJson(RowChange row) {
    return TypedJson.of(row).toString();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
