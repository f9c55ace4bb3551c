package io.tunnel.server.partition;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.LocalLog;
import java.util.Map;
import java.util.function.Consumer;

/** Makes the logs of the shards of a server. */
public interface ShardLogs {

  /** Logs that no other node writes to. */
  ShardLogs OWN =
      new ShardLogs() {
        @Override
        public SeenPlaces places(int shard, Map<Integer, Bytes> stored) {
          return SeenPlaces.NONE;
        }

        @Override
        public ShardLog open(
            int shard, LocalLog local, SeenPlaces places, Consumer<Runnable> posts) {
          return new LocalShardLog(local);
        }
      };

  /**
   * How far a shard has read a log that nodes share.
   *
   * @param stored what the table of the shard has stored, by partition
   */
  SeenPlaces places(int shard, Map<Integer, Bytes> stored);

  /**
   * The log of a shard that is about to start.
   *
   * @param places as {@link #places} made them, with what the local log has beyond the table
   * @param posts runs an action on the shard's thread; any thread may call
   */
  ShardLog open(int shard, LocalLog local, SeenPlaces places, Consumer<Runnable> posts);
}
