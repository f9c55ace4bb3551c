package io.tunnel.it.programs;

import com.google.gson.Gson;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sample of the whitepaper, with the whitepaper's processor: only its imports, which it does
 * not show, are ours. Ends when its standard input does.
 *
 * <p>Arguments: endpoint, tunnel id.
 */
final class SampleMain {

  private static final Gson GSON = new Gson();
  private static final int CAL_INTERVAL_MILLIS = 5000;

  private SampleMain() {}

  /** What the whitepaper's element holds is not said; these are the arguments in their order. */
  private record PerfElement(long timestamp, long speed, long total) {}

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

  public static void main(String[] args) throws IOException {
    TunnelClient client = new TunnelClient(args[0]);
    TunnelWorkerConfig config = new TunnelWorkerConfig(new PerfProcessor());
    TunnelWorker worker = new TunnelWorker(args[1], client, config);
    worker.connectAndWorking();
    System.out.println("working");
    var unused = System.in.read();
    worker.shutdown();
    client.shutdown();
    System.out.println("total " + PerfProcessor.allCount.get());
  }
}
