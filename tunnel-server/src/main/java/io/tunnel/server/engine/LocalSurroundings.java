package io.tunnel.server.engine;

import io.tunnel.server.changes.CatchUp;
import io.tunnel.server.changes.Together;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.read.TunnelRows;
import io.tunnel.server.session.Surroundings;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Joins sessions with shards, the rows of tunnels, clocks and the control thread. */
record LocalSurroundings(Shards shards, TunnelRows rows, Executor control, Shard.Clock clock)
    implements Surroundings {

  private static final Logger LOGGER = LoggerFactory.getLogger(LocalSurroundings.class);

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public long epochMicros() {
    return clock.epochMicros();
  }

  @Override
  public long passedMicros() {
    return clock.passed().micros();
  }

  @Override
  public void control(Runnable action) {
    try {
      control.execute(action);
    } catch (RejectedExecutionException e) {
      LOGGER.debug("the server stops; dropping a task of the control thread", e);
    }
  }

  @Override
  public void passBarrier(int partition, long passedMicros, Runnable then) {
    Shard shard = shards.of(partition);
    shard.execute(
        Set.of(),
        () -> {
          shard.log().passed(passedMicros);
          control(then);
        });
  }

  @Override
  public void keepRows(String tunnelId, Collection<Integer> partitions, RowsKept whenKept) {
    Map<Integer, CompletableFuture<Long>> positions = new TreeMap<>();
    partitions.forEach(each -> positions.put(each, rows.keep(tunnelId, each)));
    var unused =
        Together.of(positions)
            .whenComplete(
                (committed, failure) -> {
                  if (failure == null) {
                    control(() -> whenKept.kept(committed));
                  } else {
                    rows.forget(tunnelId);
                    control(() -> whenKept.failed(CatchUp.unavailable(failure)));
                  }
                });
  }

  @Override
  public void forgetRows(String tunnelId) {
    rows.forget(tunnelId);
  }

  @Override
  public void forgetRows(String tunnelId, int partition) {
    rows.forget(tunnelId, partition);
  }
}
