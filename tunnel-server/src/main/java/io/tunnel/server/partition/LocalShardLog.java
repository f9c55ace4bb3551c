package io.tunnel.server.partition;

import io.tunnel.server.log.LocalLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The log of a shard that no other node writes to. One lane: an append is one group of the file,
 * with one sync, and counts when the method returns.
 */
final class LocalShardLog implements ShardLog {

  private final LocalLog log;
  private final List<Settled> settled = new ArrayList<>(1);

  LocalShardLog(LocalLog log) {
    this.log = log;
  }

  @Override
  public LocalLog local() {
    return log;
  }

  @Override
  public int laneOf(int partition) {
    return 0;
  }

  @Override
  public int appendsMax() {
    return 1;
  }

  @Override
  public void append(OpenGroup group, LongSupplier commitMicros) throws IOException {
    if (!group.batches().isEmpty()) {
      group.place(log.append(group.batches(), group.mustSync(), commitMicros.getAsLong()));
    } else if (group.hasRepeatedSynced()) {
      log.sync();
    }
    settled.add(new Counted(group, log.end()));
  }

  @Override
  public List<Settled> takeSettled() {
    List<Settled> taken = List.copyOf(settled);
    settled.clear();
    return taken;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
