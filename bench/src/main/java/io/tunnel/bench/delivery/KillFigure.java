package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
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
final class KillFigure implements Figure<TunnelServerChild> {

  private static final int PARTITIONS = 128;
  private static final int WORKERS = 4;
  private static final int ROUNDS = 5;
  private static final long ROWS_PER_SECOND = 10_000;

  @Override
  public String name() {
    return "kill";
  }

  @Override
  public void measure(FigureSetup<TunnelServerChild> setup) throws Exception {
    var unused = setup.newTable("kill", PARTITIONS);
    String tunnelId = setup.newTunnel("kill");
    List<Long> still = new ArrayList<>();
    List<WorkerChild> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(WorkerChild.start(setup, tunnelId, "kill-" + i, 0));
    }
    try (PacedWriter writer = new PacedWriter(setup, "kill", ROWS_PER_SECOND)) {
      for (int round = 0; round < ROUNDS; round++) {
        setup.await("all workers have their share", 60, () -> isEven(setup));
        setup.pause(1_000);
        WorkerChild victim = workers.remove(0);
        Set<String> orphans = new HashSet<>(channelsOf(setup).get(victim.tag()));
        long killed = setup.clock().nanos();
        victim.process().destroyForcibly();
        setup.await("its channels run elsewhere", 60, () -> runSince(workers, killed, orphans));
        for (String orphan : orphans) {
          still.add(firstSince(workers, killed, orphan) - killed);
        }
        workers.add(WorkerChild.start(setup, tunnelId, "kill-again-" + round, 0));
      }
      setup.out().println("rows acknowledged         " + writer.acknowledged());
    }
    workers.forEach(worker -> worker.process().destroyForcibly());
    setup.out().println("SIGKILL to first callback " + Spread.of(still));
  }

  private static boolean isEven(FigureSetup<TunnelServerChild> setup) {
    Map<String, Set<String>> channels = channelsOf(setup);
    return channels.size() == WORKERS
        && channels.values().stream().allMatch(each -> each.size() == PARTITIONS / WORKERS);
  }

  private static Map<String, Set<String>> channelsOf(FigureSetup<TunnelServerChild> setup) {
    Map<String, Set<String>> channels = new HashMap<>();
    for (ChannelInfo channel :
        setup
            .tunnels()
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
