package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.Stage;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.console.ConsoleConfig;
import io.tunnel.server.console.ConsoleServer;
import io.tunnel.server.console.ConsoleSite;
import io.tunnel.server.forward.Forwarding;
import io.tunnel.server.metrics.DeliveryAges;
import io.tunnel.server.metrics.HttpHosts;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.NetServer;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Charts of a server that has run for more than an hour. The console is the real one; its clock is
 * the test's, so that the hour passes at once, and the server behind it tells figures that follow
 * from the time. For ten minutes in the middle of the hour nobody samples, as while a machine
 * sleeps.
 */
@Tag("proof-console")
class HourOfChartsTest {

  private static final long STEP_MS = 2_000;
  private static final long HOUR_MS = Duration.ofHours(1).toMillis();
  private static final long BEFORE_MS = Duration.ofMinutes(90).toMillis();
  private static final long SLEEP_FROM_MS = Duration.ofMinutes(30).toMillis();
  private static final long SLEEP_TO_MS = Duration.ofMinutes(20).toMillis();

  @RegisterExtension final Stage stage = new Stage();

  private final Machine machine = new Machine(System.currentTimeMillis() - BEFORE_MS);

  /**
   * The server and its clock, as far as charts show both; the console finds nothing else. Rows are
   * written at 1,000 a second plus a wave of 20 minutes.
   */
  private static final class Machine implements HttpServer.Pages, InvocationHandler {

    private static final double WAVE_MS = Duration.ofMinutes(20).toMillis();

    private final long startMs;
    private volatile long nowMs;

    Machine(long startMs) {
      this.startMs = startMs;
      this.nowMs = startMs;
    }

    /** This machine as the console asks it. */
    <T> T as(Class<T> port) {
      return port.cast(Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[] {port}, this));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
      return switch (method.getName()) {
        case "version" -> "test";
        case "health" -> health();
        case "totals" -> totals();
        case "taken" -> taken();
        case "tunnels" -> Optional.of(List.of());
        // Nothing is known of who asks an open server.
        case "ask" -> CompletableFuture.completedFuture(new byte[0]);
        default -> Optional.empty();
      };
    }

    @Override
    public boolean isHealthy() {
      return true;
    }

    @Override
    public String health() {
      return "{\"status\":\"UP\"}";
    }

    @Override
    public Iterator<CharSequence> metrics() {
      return Collections.emptyIterator();
    }

    private ServerMeters.Totals totals() {
      double ms = nowMs - startMs;
      double rows = ms + WAVE_MS / 4 * (1 - Math.cos(ms / WAVE_MS * 2 * Math.PI)) / Math.PI;
      return new ServerMeters.Totals(
          rows, rows * 100, (long) rows, (long) (rows * 100), DeliveryAges.Counts.none());
    }

    private ConsoleServer.Taken taken() {
      double share = (nowMs - startMs) / (double) BEFORE_MS;
      return new ConsoleServer.Taken(3, 1e12, 5e9 * share, 1e8 + 5e7 * share, 1e9, 4e8, 0.25);
    }
  }

  private int start() throws IOException {
    NetConfig net = new NetConfig("127.0.0.1", 0, 0, 1, 100, false);
    Random random = new Random(1);
    ConsoleSite site =
        new ConsoleSite(
            ConsoleConfig.DEFAULT,
            HttpHosts.of(net),
            NetServer.Door.open(),
            machine.as(ConsoleServer.class),
            machine.as(Forwarding.class),
            new ConsoleSite.Machine(
                count -> {
                  byte[] bytes = new byte[count];
                  random.nextBytes(bytes);
                  return Bytes.copyOf(bytes);
                },
                System::nanoTime,
                () -> machine.nowMs,
                Runnable::run));
    long endMs = machine.startMs + BEFORE_MS;
    for (long ms = machine.startMs; ms < endMs; ms += STEP_MS) {
      machine.nowMs = ms;
      if (ms < endMs - SLEEP_FROM_MS || ms > endMs - SLEEP_TO_MS) {
        site.tick();
      }
    }
    ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor();
    stage.closes(ticks::shutdownNow);
    var unused =
        ticks.scheduleAtFixedRate(
            () -> {
              machine.nowMs = System.currentTimeMillis();
              site.tick();
            },
            0,
            1,
            TimeUnit.SECONDS);
    HttpServer http =
        stage.closing(
            new HttpServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                net,
                Runnable::run,
                machine,
                HttpServer.Door.open(),
                site));
    return http.localAddress().getPort();
  }

  /**
   * Of the first chart: where its first line is, as shares of the plotted width: the first column,
   * the last one, and the ends of the widest gap between two columns.
   */
  private static final String LINE =
      """
      const chart = document.querySelector('hour-chart');
      const canvas = chart.querySelector('canvas');
      const over = chart.querySelector('.u-over');
      const scale = canvas.width / canvas.clientWidth;
      const left = Math.round(over.offsetLeft * scale);
      const width = Math.round(over.offsetWidth * scale);
      const context = canvas.getContext('2d');
      context.fillStyle = getComputedStyle(chart).getPropertyValue('--first').trim();
      const [red, green, blue] = context.fillStyle.match(/[0-9a-f]{2}/g).map((each) => parseInt(each, 16));
      const { data } = context.getImageData(left, 0, width, canvas.height);
      const columns = [];
      for (let x = 0; x < width; x++) {
        for (let y = 0; y < canvas.height; y++) {
          const at = (y * width + x) * 4;
          if (Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 24 && data[at + 3] > 200) {
            columns.push(x / width);
            break;
          }
        }
      }
      let gap = [0, 0];
      for (let i = 1; i < columns.length; i++) {
        if (columns[i] - columns[i - 1] > gap[1] - gap[0]) {
          gap = [columns[i - 1], columns[i]];
        }
      }
      return [columns[0] ?? 1, columns.at(-1) ?? 0, ...gap].map((each) => Math.round(each * 1000));
      """;

  @Test
  void charts_show_the_whole_hour_and_a_gap_where_nobody_sampled() throws IOException {
    Browser browser = stage.closing(Browser.start());
    browser.show(Browser.View.all().get(0));
    browser.open("http://127.0.0.1:" + start() + "/");
    browser.element("#feed.live");
    browser.element("hour-chart canvas");
    Poll.until(
        "no rows a second", () -> browser.text("hour-chart").matches("(?s).*written [1-9].*"));
    List<Long> line =
        ((List<?>) browser.script(LINE)).stream().map(each -> ((Number) each).longValue()).toList();
    assertThat(line.get(0)).as("the line's first column, in 1/1000: %s", line).isLessThan(30);
    assertThat(line.get(1)).as("its last column").isGreaterThan(970);
    // Half an hour before the end is the middle of the chart; ten minutes are a sixth of it.
    assertThat(line.get(2)).as("where the gap begins").isBetween(480L, 520L);
    assertThat(line.get(3)).as("where the gap ends").isBetween(645L, 690L);
    assertThat(HOUR_MS / STEP_MS).isEqualTo(history(browser));
    for (Browser.View view : Browser.View.all()) {
      browser.show(view);
      assertThat(browser.findings()).as("%s", view).isEmpty();
      assertThat(browser.overflow()).as("%s", view).isZero();
    }
    browser.show(Browser.View.all().get(0));
    browser.shot("hour");
    browser.requireQuiet();
  }

  /** Steps that the server remembers, however long it has run. */
  private static long history(Browser browser) {
    return (Long)
        browser.asyncScript(
            "const done = arguments[0]; fetch('/api/history').then((answer) => answer.json())"
                + ".then((history) => done(history.series.writtenRows.length))");
  }
}
