package io.tunnel.programs.servers;

import io.tunnel.terminal.ExitCode;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ends a program that is interrupted, by Ctrl-C or SIGTERM, wherever it is: what it has made is
 * removed, one line says so, and the process ends. Nothing is taken to its end: an interrupted demo
 * proves nothing, and its threads, which see their server vanish, are not heard any more.
 */
public final class Interrupt implements AutoCloseable {

  private static final long REMOVE_MS_MAX = 1_800;
  private static final String LATE = "; could not remove all of its files and tables in time";

  private final String program;
  private final PrintWriter err;
  private final PrintWriter guarded;
  private final Thread hook = new Thread(this::end, "interrupted");
  private volatile boolean isInterrupted;
  private volatile Remains remains = () -> "";

  /** Says what is left when the removal takes too long. */
  private volatile Remains late = () -> LATE;

  /** What is there when the program is interrupted. */
  @FunctionalInterface
  public interface Remains {

    /** Removes it; says what is left, as the end of a line, or nothing. */
    String remove() throws IOException, InterruptedException;
  }

  /**
   * Takes over the signals until it is closed.
   *
   * @param program what the line begins with, such as "tunnel demo"
   */
  public Interrupt(String program, PrintWriter err) {
    this.program = program;
    this.err = err;
    this.guarded = new PrintWriter(new Guard(err), true);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Standard error for the program; what it prints after an interrupt disappears. */
  public PrintWriter err() {
    return guarded;
  }

  /** From now on {@code what} is to be removed, and nothing that was named before. */
  public void leaves(Remains what) {
    leaves(what, () -> LATE);
  }

  /**
   * As {@link #leaves(Remains)}.
   *
   * @param tooLate says what is left when {@code what} takes too long, as the end of a line
   */
  public void leaves(Remains what, Remains tooLate) {
    late = tooLate;
    remains = what;
  }

  private final class Guard extends FilterWriter {
    Guard(Writer out) {
      super(out);
    }

    @Override
    public void write(int c) throws IOException {
      write(new char[] {(char) c}, 0, 1);
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
      write(text.toCharArray(), offset, length);
    }

    @Override
    public void write(char[] chars, int offset, int length) throws IOException {
      if (!isInterrupted) {
        super.write(chars, offset, length);
      }
    }
  }

  /** Runs as the JVM ends, which ends here. */
  private void end() {
    isInterrupted = true;
    // Where the log goes: of servers that are gone, connections that broke, and so on.
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false));
    // The line of a progress bar, or the ^C of the terminal, stays above.
    err.println();
    err.println(program + ": interrupted" + removed());
    err.flush();
    Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
  }

  private String removed() {
    CompletableFuture<String> left = new CompletableFuture<>();
    Thread remover = new Thread(() -> remove(left), "remove-remains");
    remover.setDaemon(true);
    remover.start();
    try {
      return left.get(REMOVE_MS_MAX, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return tooLate();
    } catch (ExecutionException e) {
      return "; could not remove all files and tables: " + e.getCause().getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  private String tooLate() {
    try {
      return late.remove();
    } catch (IOException | InterruptedException | RuntimeException e) {
      return LATE;
    }
  }

  private void remove(CompletableFuture<String> left) {
    try {
      left.complete(remains.remove());
    } catch (IOException | InterruptedException | RuntimeException e) {
      left.completeExceptionally(e);
    }
  }

  /** Gives the signals back. When one came, this does not return: the process is about to end. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException isEnding) {
      boolean isOver = false;
      while (!isOver) {
        try {
          new CountDownLatch(1).await();
          isOver = true;
        } catch (InterruptedException e) {
          // Nobody interrupts the main thread to any purpose now.
        }
      }
    }
  }
}
