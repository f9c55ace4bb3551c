package io.tunnel.kafka.broker;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Suspends and resumes a process with the program {@code kill}.
 *
 * <p>The system delivers SIGSTOP to one thread, which has to run to stop the remaining threads: on
 * a busy machine a process goes on for many milliseconds after {@code kill} has ended. So {@link
 * #suspend} returns only when the system shows every thread as stopped.
 */
public final class Suspension {

  private static final long PAUSE_NANOS = 1_000_000;
  private static final int LOOKS_MAX = 30_000;
  private static final String STOPPED_OR_ENDED = "TtZX";

  private Suspension() {}

  /**
   * Sends SIGSTOP and returns when all threads of the process are stopped; on a system without
   * {@code /proc}, returns when the signal is sent.
   *
   * @throws IOException when the process does not exist, or has not stopped after 30 s
   */
  public static void suspend(ProcessHandle process) throws IOException, InterruptedException {
    send("STOP", process);
    Path tasks = Path.of("/proc", Long.toString(process.pid()), "task");
    for (int look = 0; Files.isDirectory(tasks) && runs(tasks); look++) {
      if (look == LOOKS_MAX) {
        throw new IOException("process " + process.pid() + " still runs after SIGSTOP");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Sends SIGCONT. */
  public static void resume(ProcessHandle process) throws IOException, InterruptedException {
    send("CONT", process);
  }

  private static void send(String signal, ProcessHandle process)
      throws IOException, InterruptedException {
    String pid = Long.toString(process.pid());
    if (new ProcessBuilder("kill", "-" + signal, pid).start().waitFor() != 0) {
      throw new IOException("process " + pid + " could not be sent SIG" + signal);
    }
  }

  private static boolean runs(Path tasks) throws IOException {
    try (DirectoryStream<Path> each = Files.newDirectoryStream(tasks)) {
      for (Path task : each) {
        if (STOPPED_OR_ENDED.indexOf(state(task)) < 0) {
          return true;
        }
      }
    } catch (NoSuchFileException ended) {
      // The process is gone, and so are its threads.
    }
    return false;
  }

  /**
   * The state is the letter behind the command; the command is in parentheses, and may contain
   * parentheses: proc(5).
   */
  private static char state(Path task) throws IOException {
    try {
      String stat = Files.readString(task.resolve("stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (NoSuchFileException ended) {
      return 'X';
    }
  }
}
