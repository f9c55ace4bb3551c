package io.tunnel.server.net.delivery;

import io.tunnel.wire.control.PartitionControl;
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

  private record Former(int partition, long epoch, boolean isGranted) {}

  /**
   * A channel was left that had been delivered under that epoch. One without a grant says nothing
   * where one with a grant was before, nor does the epoch of what has no holder.
   */
  void left(String channelId, int partition, long epoch, boolean isGranted) {
    Former known = formerByChannel.get(channelId);
    if (epoch == PartitionControl.EPOCH || (known != null && known.isGranted() && !isGranted)) {
      return;
    }
    formerByChannel.remove(channelId);
    formerByChannel.put(channelId, new Former(partition, epoch, isGranted));
    if (formerByChannel.size() > EPOCHS_MAX) {
      formerByChannel.remove(formerByChannel.keySet().iterator().next());
    }
  }

  /**
   * The epoch under which a channel was delivered last; 0 when that is not known. A request with a
   * grant is only told of epochs that had one too.
   */
  long of(String channelId, boolean isGranted) {
    Former former = formerByChannel.get(channelId);
    return former == null || (isGranted && !former.isGranted()) ? 0 : former.epoch();
  }

  /** Somebody is attached to a channel; one without a grant makes nobody forget one with it. */
  void came(String channelId, boolean isGranted) {
    Former former = formerByChannel.get(channelId);
    if (former != null && (isGranted || !former.isGranted())) {
      formerByChannel.remove(channelId);
    }
  }

  /** Other nodes deliver a partition's channels now, under epochs that are not known here. */
  void forget(int partition) {
    formerByChannel.values().removeIf(former -> former.partition() == partition);
  }
}
