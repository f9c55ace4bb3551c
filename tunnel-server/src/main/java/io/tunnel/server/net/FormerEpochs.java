package io.tunnel.server.net;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Under which epochs channels were delivered that nobody is attached to any more, so that a holder
 * of a former time is not delivered to again. Of too many, those are forgotten that were left
 * first: their holders may be sent changes, and can checkpoint nothing.
 */
final class FormerEpochs {

  /** Channels that are remembered. */
  static final int EPOCHS_MAX = 65_536;

  private final Map<String, Former> formerByChannel = new LinkedHashMap<>();

  private record Former(int partition, long epoch) {}

  /** A channel was left that had been delivered under that epoch. */
  void left(String channelId, int partition, long epoch) {
    formerByChannel.remove(channelId);
    formerByChannel.put(channelId, new Former(partition, epoch));
    if (formerByChannel.size() > EPOCHS_MAX) {
      formerByChannel.remove(formerByChannel.keySet().iterator().next());
    }
  }

  /** The epoch under which a channel was delivered last; 0 when that is not known. */
  long of(String channelId) {
    Former former = formerByChannel.get(channelId);
    return former == null ? 0 : former.epoch();
  }

  /** Somebody is attached to a channel, who is known. */
  void forget(String channelId) {
    formerByChannel.remove(channelId);
  }

  /** Other nodes deliver a partition's channels now, under epochs that are not known here. */
  void forget(int partition) {
    formerByChannel.values().removeIf(former -> former.partition() == partition);
  }
}
