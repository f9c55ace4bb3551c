package io.tunnel.programs.bench.seeds.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class LoadProgramTest {

  private static final long LATE_MS = 200;

  /** Thousands of connections of two cases at a time are more than a process may have. */
  @Test
  void a_case_begins_when_the_case_before_has_closed_its_connections() throws Exception {
    CountDownLatch allRead = new CountDownLatch(1);
    CountDownLatch secondBegan = new CountDownLatch(1);
    CountDownLatch secondDone = new CountDownLatch(1);
    AtomicBoolean overlaps = new AtomicBoolean();
    LoadProgram program =
        new LoadProgram(
            (what, out) -> {
              if (what.equals("second")) {
                secondBegan.countDown();
                out.accept(LoadLine.of(Word.DONE, Map.of()));
                secondDone.countDown();
                return;
              }
              out.accept(LoadLine.of(Word.DONE, Map.of()));
              allRead.await();
              overlaps.set(secondBegan.await(LATE_MS, TimeUnit.MILLISECONDS));
            });
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] lines = "first\nsecond\n".getBytes(StandardCharsets.UTF_8);
    program.serve(
        new ByteArrayInputStream(lines), new PrintStream(out, true, "UTF-8"), allRead::countDown);
    assertThat(secondDone.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(overlaps).isFalse();
    assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(2);
  }
}
