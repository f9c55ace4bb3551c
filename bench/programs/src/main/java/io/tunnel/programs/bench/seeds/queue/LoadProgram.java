package io.tunnel.programs.bench.seeds.queue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/**
 * A process with a load: runs the cases that come on standard input, one a line, and prints lines
 * about them. Ends when the input ends, so it never outlives its parent.
 */
public final class LoadProgram {

  private final Messages.Opening service;
  private final LongSupplier nanos;

  /**
   * A program.
   *
   * @param service carries the messages
   * @param nanos a clock that never goes back
   */
  public LoadProgram(Messages.Opening service, LongSupplier nanos) {
    this.service = service;
    this.nanos = nanos;
  }

  /**
   * Runs cases until {@code in} ends or a case fails. A thread of its own reads, so that the
   * process ends with its parent also in the middle of a case.
   */
  public void serve(InputStream in, PrintStream out, Runnable whenOver) {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        MessageCase what = MessageCase.parse(line);
        Thread thread = new Thread(() -> run(what, out), "load");
        thread.setDaemon(true);
        thread.start();
      }
    } catch (IOException broken) {
      // A broken pipe counts as the end of the parent.
    }
    whenOver.run();
  }

  private void run(MessageCase what, PrintStream out) {
    try {
      new MessageLoad(what, nanos, line -> print(line, out)).run(service);
    } catch (Exception e) {
      e.printStackTrace();
      print(LoadLine.failed(e), out);
    }
  }

  private static void print(LoadLine line, PrintStream out) {
    out.println(line.line());
    out.flush();
  }
}
