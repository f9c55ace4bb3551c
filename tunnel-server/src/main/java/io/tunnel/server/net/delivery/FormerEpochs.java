package io.tunnel.server.net.delivery;

import io.tunnel.wire.control.PartitionControl;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Under which epochs channels were delivered that nobody is attached to any more, so that a holder
 * of a former time is not delivered to again. Of too many, those are forgotten that were left
 * first: their holders may be sent changes until their grants end, and can checkpoint nothing.
 */
final class FormerEpochs {

  /** Channels that are remembered. */
  static final int EPOCHS_MAX = 65_536;

  private final Map<String, Former> formerByChannel = new LinkedHashMap<>();

  /**
   * What is known of a channel that was left.
   *
   * @param epoch none that is lower is delivered to
   * @param isEnded whether {@code epoch} itself is not either, because the hold is over
   */
  record Former(int partition, long epoch, boolean isGranted, boolean isEnded) {

    /** Whether a request under that epoch is refused. */
    boolean isBehind(long asked) {
      return asked < epoch || (isEnded && asked == epoch);
    }
  }

  /**
   * A channel was left that had been delivered under that epoch. One without a grant says nothing
   * where one with a grant was before, nor does the epoch of what has no holder.
   */
  void left(String channelId, int partition, long epoch, boolean isGranted) {
    Former known = formerByChannel.get(channelId);
    if (epoch == PartitionControl.EPOCH || (known != null && known.isGranted() && !isGranted)) {
      return;
    }
    if (known == null || known.isGranted() != isGranted || known.epoch() < epoch) {
      remember(channelId, new Former(partition, epoch, isGranted, false));
    }
  }

  /** The hold of a channel under that epoch is over, by the word of its session. */
  void ended(String channelId, int partition, long epoch) {
    Former known = formerByChannel.get(channelId);
    if (known == null || !known.isGranted() || known.epoch() <= epoch) {
      remember(channelId, new Former(partition, epoch, true, true));
    }
  }

  private void remember(String channelId, Former former) {
    formerByChannel.remove(channelId);
    formerByChannel.put(channelId, former);
    if (formerByChannel.size() > EPOCHS_MAX) {
      formerByChannel.remove(formerByChannel.keySet().iterator().next());
    }
  }

  /**
   * Under which epoch a channel was delivered last, if that is known. A request with a grant is
   * only told of epochs that had one too.
   */
  Optional<Former> of(String channelId, boolean isGranted) {
    Former former = formerByChannel.get(channelId);
    return former == null || (isGranted && !former.isGranted())
        ? Optional.empty()
        : Optional.of(former);
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
