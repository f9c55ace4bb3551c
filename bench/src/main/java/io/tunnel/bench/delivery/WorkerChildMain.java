package io.tunnel.bench.delivery;

import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A worker in a process of its own. It says {@code first CHANNEL NANOS} when it processes a channel
 * for the first time since it got it, and {@code memory HEAP DIRECT ROWS} every few seconds: live
 * bytes of the heap, bytes of direct buffers, rows processed. It runs until it is ended.
 *
 * <p>Arguments: endpoint, tunnel id, client tag, milliseconds that each callback takes.
 */
final class WorkerChildMain {

  private static final long MEMORY_EVERY_MS = 3_000;

  private WorkerChildMain() {}

  public static void main(String[] args) {
    LoadClock clock = new SystemClock();
    Slow processor =
        new Slow(clock, Long.parseLong(args[3]), ConcurrentHashMap.newKeySet(), new AtomicLong());
    try (TunnelClient client = new TunnelClient(args[0])) {
      new TunnelWorker(
              args[1],
              client,
              TunnelWorkerConfig.builder().processor(processor).clientTag(args[2]).build())
          .connectAndWorking();
      while (true) {
        wait(clock, MEMORY_EVERY_MS);
        sayMemory(processor.rows().get());
      }
    }
  }

  private static void sayMemory(long rows) {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long direct = 0;
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      direct += pool.getMemoryUsed();
    }
    System.out.println(
        "memory " + (runtime.totalMemory() - runtime.freeMemory()) + " " + direct + " " + rows);
  }

  private static void wait(LoadClock clock, long millis) {
    clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(millis), () -> false);
  }

  private record Slow(LoadClock clock, long millis, Set<String> seen, AtomicLong rows)
      implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      String holding = input.getTraceId().substring(0, input.getTraceId().lastIndexOf('/'));
      if (seen.add(holding)) {
        System.out.println("first " + input.getChannelId() + " " + clock.nanos());
      }
      WorkerChildMain.wait(clock, millis);
      rows.addAndGet(input.getRecords().size());
    }

    @Override
    public void shutdown() {}
  }
}
