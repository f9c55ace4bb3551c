package io.tunnel.programs.bench.seeds.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * A process with a load: runs the cases that come on standard input, one a line, and prints lines
 * about them. Ends when the input ends, so it never outlives its parent.
 */
public final class LoadProgram {

  private final Cases cases;

  /** A program that runs these cases. */
  public LoadProgram(Cases cases) {
    this.cases = cases;
  }

  /** What a program can run. */
  @FunctionalInterface
  public interface Cases {

    /**
     * Runs a case.
     *
     * @param what the line that names it
     * @param out hears how it goes: MEASURING, MEASURED, DONE
     */
    void run(String what, Consumer<LoadLine> out) throws Exception;
  }

  /**
   * Runs cases in their order until {@code in} ends. Cases have a thread of their own, so that the
   * process ends with its parent also in the middle of a case. A case begins when the case before
   * has closed its connections, which is later than its last line.
   */
  public void serve(InputStream in, PrintStream out, Runnable whenOver) {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    ExecutorService load = Executors.newSingleThreadExecutor(LoadProgram::thread);
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String what = line;
        load.execute(() -> run(what, out));
      }
    } catch (IOException broken) {
      // A broken pipe counts as the end of the parent.
    }
    whenOver.run();
    load.shutdown();
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "load");
    thread.setDaemon(true);
    return thread;
  }

  private void run(String what, PrintStream out) {
    try {
      cases.run(what, line -> print(line, out));
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
