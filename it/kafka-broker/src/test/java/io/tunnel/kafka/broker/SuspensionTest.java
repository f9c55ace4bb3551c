package io.tunnel.kafka.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class SuspensionTest {

  private static final int THREADS = 16;
  private static final int TIMES = 20;

  @Test
  @EnabledOnOs(OS.LINUX)
  void no_thread_of_a_busy_process_runs_once_it_is_suspended() throws Exception {
    Process busy = busy();
    try {
      assertThat(busy.getInputStream().read()).isEqualTo('b');
      for (int i = 0; i < TIMES; i++) {
        Suspension.suspend(busy.toHandle());
        assertThat(states(busy)).hasSizeGreaterThan(THREADS).containsOnly("T");
        Suspension.resume(busy.toHandle());
      }
      assertThat(states(busy)).contains("R");
    } finally {
      busy.destroyForcibly().waitFor();
    }
  }

  @Test
  void a_process_that_has_ended_is_refused() throws Exception {
    Process ended = busy();
    ended.destroyForcibly().waitFor();
    assertThatIOException()
        .isThrownBy(() -> Suspension.suspend(ended.toHandle()))
        .withMessageContaining("SIGSTOP");
  }

  private static Process busy() throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Busy.class.getName())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static List<String> states(Process process) throws Exception {
    List<String> states = new ArrayList<>();
    try (Stream<Path> tasks = Files.list(Path.of("/proc", "" + process.pid(), "task"))) {
      for (Path task : tasks.toList()) {
        String stat = Files.readString(task.resolve("stat"));
        states.add(stat.substring(stat.lastIndexOf(')') + 2).substring(0, 1));
      }
    }
    return states;
  }

  /** Computes on many threads until it is killed or its standard input ends. */
  static final class Busy {

    private Busy() {}

    public static void main(String[] arguments) throws Exception {
      for (int i = 0; i < THREADS; i++) {
        Thread thread =
            new Thread(
                () -> {
                  while (true) {
                    Thread.onSpinWait();
                  }
                });
        thread.setDaemon(true);
        thread.start();
      }
      System.out.write('b');
      System.out.flush();
      int unused = System.in.read();
    }
  }
}
