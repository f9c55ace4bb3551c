package io.tunnel.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Where a command prints. Always UTF-8: without a locale the JVM would print question marks into
 * the user's data. And it remembers why writing failed, which a {@link PrintWriter} forgets, so
 * that a full disk is not taken for success.
 */
public final class DataWriter extends PrintWriter {

  private final Recorder recorder;

  private static final class Recorder extends FilterOutputStream {
    private volatile IOException failure;

    Recorder(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }

  /** Prints to {@code out}, line by line. */
  public DataWriter(OutputStream out) {
    this(new Recorder(out));
  }

  private DataWriter(Recorder recorder) {
    super(recorder, true, StandardCharsets.UTF_8);
    this.recorder = recorder;
  }

  /** Why something that was printed is lost; empty also when only its reader has gone. */
  Optional<IOException> failure() {
    flush();
    return Optional.ofNullable(recorder.failure)
        .filter(failure -> !String.valueOf(failure.getMessage()).contains("Broken pipe"));
  }
}
