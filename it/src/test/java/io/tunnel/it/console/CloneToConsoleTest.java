package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a new user does: clones, starts the demo, and opens the address that it prints. Keeps how
 * long each step took in target/console/clone-to-console.txt. Fails when live rates never come; how
 * soon they come is a figure, not a promise of this test.
 */
@Tag("proof-console")
class CloneToConsoleTest {

  /** A machine that does much else builds slowly. */
  private static final Duration BUILD_MAX = Duration.ofMinutes(20);

  private static final Path TIMES = Path.of("target", "console", "clone-to-console.txt");
  private static final Pattern LOOK = Pattern.compile("(?m)^look at it: (http://\\S+)$");
  private static final String ON = "runs on until Ctrl-C; look at it: ";
  private static final Pattern RATE = Pattern.compile("(?s)[1-9][0-9,]* rows/s.*");
  private static final int INTERRUPTED = 130;

  @RegisterExtension final Stage stage = new Stage();

  private final List<String> times = new ArrayList<>();
  private final long startNanos = System.nanoTime();

  private void note(String step) {
    times.add("%4d s  %s".formatted((System.nanoTime() - startNanos) / 1_000_000_000, step));
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitRates(Browser browser) {
    browser.element("#feed.live");
    for (int figure : new int[] {2, 3}) {
      String css = ".figure:nth-of-type(" + figure + ") dd";
      Poll.until(
          Poll.LONG,
          () -> RATE.matcher(browser.text(css)).matches(),
          () -> "no rate in " + browser.text("body"));
    }
  }

  @Test
  void a_new_user_sees_live_rates() throws Exception {
    // The browser is there before the clone is, as on a user's machine.
    Browser browser = stage.closing(Browser.start());
    browser.show(Browser.View.all().get(0));
    note("begin");
    Path clone = stage.path("clone");
    Process cloned =
        new ProcessBuilder("git", "clone", "--quiet", "--no-hardlinks", "..", clone.toString())
            .inheritIO()
            .start();
    assertThat(cloned.waitFor()).as("exit code of git clone").isZero();
    note("git clone has ended");
    Path said = stage.path("said");
    Process demo =
        new ProcessBuilder("./tunnel", "demo", "--keep", "--data", stage.path("kept").toString())
            .directory(clone.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    stage.closes(
        () -> {
          demo.descendants().forEach(ProcessHandle::destroyForcibly);
          demo.destroyForcibly().waitFor();
        });
    Poll.until(
        BUILD_MAX,
        () -> LOOK.matcher(read(said)).find() || !demo.isAlive(),
        () -> "no address in: " + read(said));
    Matcher look = LOOK.matcher(read(said));
    assertThat(look.find()).as(read(said)).isTrue();
    note("'./tunnel demo --keep' has built the programs, and says where to look");
    browser.open(look.group(1));
    awaitRates(browser);
    note("the browser shows live rates");
    Poll.until(
        BUILD_MAX,
        () -> read(said).contains(ON) || !demo.isAlive(),
        () -> "the proof does not end: " + read(said));
    assertThat(read(said)).contains(ON + look.group(1));
    note("the demo has proved that each change arrived once, and runs on");
    awaitRates(browser);
    browser.awaitText("page-overview", "● UP");
    Files.createDirectories(TIMES.getParent());
    Files.write(TIMES, times);
    times.forEach(System.out::println);
    demo.destroy();
    assertThat(demo.waitFor()).as(read(said)).isEqualTo(INTERRUPTED);
    browser.awaitText("#remarks", "The server does not answer.");
  }
}
