package io.tunnel.programs.bench.seeds.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessMeterTest {

  @TempDir Path proc;

  private void process(String stat, String io) throws IOException {
    Path own = Files.createDirectories(proc.resolve("7"));
    Files.writeString(own.resolve("stat"), stat);
    Files.writeString(own.resolve("io"), io);
  }

  @Test
  void two_looks_tell_processor_time_and_what_was_written() throws IOException {
    ProcessMeter meter = new ProcessMeter(proc, List.of(7L));
    process(
        "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 100 20 0 0 20 0 9 0 77 88 99\n",
        "rchar: 1\nwrite_bytes: 1048576\ncancelled_write_bytes: 5\n");
    ProcessMeter.Look before = meter.look(0);
    process(
        "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 300 120 0 0 20 0 9 0 77 88 99\n",
        "rchar: 1\nwrite_bytes: 9437184\ncancelled_write_bytes: 5\n");
    ProcessMeter.Look after = meter.look(TimeUnit.SECONDS.toNanos(2));
    assertThat(after.cpuPercent(before)).hasValue(150);
    assertThat(after.diskMibPerSecond(before)).hasValue(4);
  }

  @Test
  void another_system_says_nothing() throws IOException {
    ProcessMeter.Look none = new ProcessMeter(proc, List.of(7L, 8L)).look(0);
    process("short", "nothing");
    ProcessMeter.Look odd = new ProcessMeter(proc, List.of(7L)).look(1);
    assertThat(odd.cpuPercent(none)).isEmpty();
    assertThat(odd.diskMibPerSecond(none)).isEmpty();
  }

  @Test
  void this_process_has_used_time() {
    ProcessMeter meter = new ProcessMeter(Path.of("/proc"), List.of(ProcessHandle.current().pid()));
    ProcessMeter.Look look = meter.look(0);
    if (Files.exists(Path.of("/proc/self/stat"))) {
      assertThat(look.cpuTicks()).isPresent();
    }
  }
}
