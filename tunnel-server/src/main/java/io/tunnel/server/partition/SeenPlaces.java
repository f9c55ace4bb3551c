package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import java.util.Map;

/**
 * How far a shard has read a log that nodes share. A local log has a batch without rows for each
 * record of the shared log, after the batches of the record; so a start knows how far the log of
 * the node goes. For the shard's thread.
 */
public interface SeenPlaces {

  /** Of a log that no other node writes to. */
  SeenPlaces NONE =
      new SeenPlaces() {
        @Override
        public void saw(ChangeBatch place) {}

        @Override
        public Map<Integer, Bytes> takeRaised() {
          return Map.of();
        }

        @Override
        public void drop(int partition) {}

        @Override
        public void restore(int partition, Bytes state) {
          throw new IllegalStateException("partition " + partition + " is in no log of many nodes");
        }
      };

  /** Takes a batch without rows, which may say the place of a record. */
  void saw(ChangeBatch place);

  /** By partition, what is stored with the next rows. */
  Map<Integer, Bytes> takeRaised();

  /** The partition is gone. */
  void drop(int partition);

  /** The table has this state of a partition, of which nothing is known. */
  void restore(int partition, Bytes state);
}
