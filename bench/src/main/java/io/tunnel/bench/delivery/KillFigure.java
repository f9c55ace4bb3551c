package io.tunnel.bench.delivery;

import io.tunnel.bench.figures.Figure;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How long the channels of a worker that is killed stand still: 128 channels over 4 processes under
 * load, one of them ended with SIGKILL.
 */
final class KillFigure implements Figure<Bed> {

  private static final int PARTITIONS = 128;
  private static final int WORKERS = 4;
  private static final int ROUNDS = 5;
  private static final long ROWS_PER_SECOND = 10_000;

  @Override
  public String name() {
    return "kill";
  }

  @Override
  public void measure(Bed bed) throws Exception {
    String tunnelId = bed.newTunnel("kill", PARTITIONS);
    List<Long> still = new ArrayList<>();
    List<WorkerChild> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(WorkerChild.start(bed, tunnelId, "kill-" + i, 0));
    }
    try (PacedWriter writer = new PacedWriter(bed, "kill", ROWS_PER_SECOND)) {
      for (int round = 0; round < ROUNDS; round++) {
        bed.await("all workers have their share", 60, () -> isEven(bed));
        bed.pause(1_000);
        WorkerChild victim = workers.remove(0);
        Set<String> orphans = new HashSet<>(channelsOf(bed).get(victim.tag()));
        long killed = bed.clock().nanos();
        victim.process().destroyForcibly();
        bed.await("its channels run elsewhere", 60, () -> runSince(workers, killed, orphans));
        for (String orphan : orphans) {
          still.add(firstSince(workers, killed, orphan) - killed);
        }
        workers.add(WorkerChild.start(bed, tunnelId, "kill-again-" + round, 0));
      }
      bed.out().println("rows acknowledged         " + writer.acknowledged());
    }
    workers.forEach(worker -> worker.process().destroyForcibly());
    bed.out().println("SIGKILL to first callback " + Spread.of(still));
  }

  private static boolean isEven(Bed bed) {
    Map<String, Set<String>> channels = channelsOf(bed);
    return channels.size() == WORKERS
        && channels.values().stream().allMatch(each -> each.size() == PARTITIONS / WORKERS);
  }

  private static Map<String, Set<String>> channelsOf(Bed bed) {
    Map<String, Set<String>> channels = new HashMap<>();
    for (ChannelInfo channel :
        bed.tunnels()
            .describeTunnel(new DescribeTunnelRequest("kill", "figures"))
            .getChannelInfos()) {
      channel
          .clientTag()
          .ifPresent(
              tag ->
                  channels.computeIfAbsent(tag, t -> new HashSet<>()).add(channel.getChannelId()));
    }
    return channels;
  }

  private static boolean runSince(List<WorkerChild> workers, long killed, Set<String> orphans) {
    return orphans.stream()
        .allMatch(orphan -> firstSince(workers, killed, orphan) != Long.MAX_VALUE);
  }

  private static long firstSince(List<WorkerChild> workers, long killed, String channel) {
    long first = Long.MAX_VALUE;
    for (WorkerChild worker : workers) {
      long nanos = worker.firstNanos().getOrDefault(channel, killed);
      first = nanos > killed ? Math.min(first, nanos) : first;
    }
    return first;
  }
}
