package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.terminal.ExitCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs on the class path of the image, which has no Kafka broker. */
class BrokerBesideTest {

  private static final int END_SECONDS_MAX = 60;

  private record Ended(int exitCode, String printed) {}

  @TempDir private Path directory;

  private Ended run(String... arguments) throws IOException, InterruptedException {
    String classPath =
        Pattern.compile(Pattern.quote(File.pathSeparator))
            .splitAsStream(System.getProperty("java.class.path"))
            .filter(entry -> !entry.contains("kafka-broker"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", classPath, "io.tunnel.cli.TunnelCommand"));
    command.addAll(List.of(arguments));
    // Into a file, so that the wait is bounded also when the program goes on printing.
    Path printed = directory.resolve("printed");
    Process program =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      boolean hasEnded = program.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS);
      assertThat(hasEnded).as(Files.readString(printed)).isTrue();
      return new Ended(program.exitValue(), Files.readString(printed));
    } finally {
      program.destroyForcibly();
    }
  }

  @Test
  void programs_that_need_none_run() throws Exception {
    Ended ended = run("security", "init", "--help");
    assertThat(ended.exitCode()).as(ended.printed()).isZero();
  }

  @Test
  void a_program_that_needs_one_says_so() throws Exception {
    for (String line :
        List.of(
            "bench peers --only write",
            "torture --minutes 0.1 --faults kill",
            "demo --nodes 3 --rows 1000")) {
      Ended ended = run(line.split(" "));
      assertThat(ended.exitCode()).as(ended.printed()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(ended.printed()).contains("run it where the sources are").doesNotContain("\tat ");
    }
  }
}
