package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The rate processor of Tablestore's performance whitepaper, with its original code: only the
 * imports differ. Its arithmetic is flawed (see perf-processor for a correct one); this test is
 * about the names.
 */
class SeedSampleTest {

  /** The one type that the sample uses and does not show. */
  record PerfElement(long timestamp, long rate, long total) {}

  private static final Gson GSON = new Gson();
  private static final int CAL_INTERVAL_MILLIS = 5000;

  static class PerfProcessor implements IChannelProcessor {
    private static final AtomicLong counter = new AtomicLong(0);
    private static final AtomicLong latestTs = new AtomicLong(0);
    private static final AtomicLong allCount = new AtomicLong(0);

    @Override
    public void process(ProcessRecordsInput input) {
      counter.addAndGet(input.getRecords().size());
      allCount.addAndGet(input.getRecords().size());
      if (System.currentTimeMillis() - latestTs.get() > CAL_INTERVAL_MILLIS) {
        synchronized (PerfProcessor.class) {
          if (System.currentTimeMillis() - latestTs.get() > CAL_INTERVAL_MILLIS) {
            long seconds =
                TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis() - latestTs.get());
            PerfElement element =
                new PerfElement(
                    System.currentTimeMillis(), counter.get() / seconds, allCount.get());
            System.out.println(GSON.toJson(element));
            counter.set(0);
            latestTs.set(System.currentTimeMillis());
          }
        }
      }
    }

    @Override
    public void shutdown() {
      System.out.println("Mock shutdown");
    }
  }

  @Test
  void the_sample_counts_what_a_tunnel_delivers() {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (FakeServer server = new FakeServer();
        TunnelClient tunnelClient = new TunnelClient(server.config())) {
      FakeTunnel tunnel = new FakeTunnel(server, 2);
      tunnel.append(0, 30);
      tunnel.append(1, 12);
      TunnelWorkerConfig config = new TunnelWorkerConfig(new PerfProcessor());
      TunnelWorker worker = new TunnelWorker("tunnel", tunnelClient, config);
      worker.connectAndWorking();
      Waits.until("all rows are counted", () -> PerfProcessor.allCount.get() == 42);
      worker.shutdown();
      assertThat(server.failures()).isEmpty();
    } finally {
      System.setOut(out);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("\"total\":")
        .containsOnlyOnce("Mock shutdown");
  }
}
