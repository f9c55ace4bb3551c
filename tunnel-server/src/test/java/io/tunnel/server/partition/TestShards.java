package io.tunnel.server.partition;

import io.tunnel.server.table.TableStoreConfig;
import java.nio.file.Path;

/** How tests open shards: with small limits, so tests meet each limit soon. */
public final class TestShards {

  private TestShards() {}

  /** Shards under a directory. */
  public static Shards.Layout layout(Path directory, int count, int segmentBytesMax) {
    return new Shards.Layout(
        directory,
        count,
        segmentBytesMax,
        new ShardConfig(64 << 10, 8 << 10, 8 << 20),
        new TableStoreConfig(1 << 20, 1 << 20, 1));
  }
}
