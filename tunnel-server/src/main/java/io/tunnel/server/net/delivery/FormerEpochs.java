package io.tunnel.server.net.delivery;

import io.tunnel.wire.control.PartitionControl;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The last epochs of channels without an attachment, so that a former holder of such a channel
 * cannot attach again. Beyond {@value #EPOCHS_MAX} channels the one left first is forgotten: its
 * former holder may then be sent changes until its grant ends, but its checkpoints are refused.
 */
final class FormerEpochs {

  /** Channels that are remembered. */
  static final int EPOCHS_MAX = 65_536;

  private final Map<String, Former> formerByChannel = new LinkedHashMap<>();

  /**
   * The state of a channel whose last client has left.
   *
   * @param epoch requests under a lower epoch are refused
   * @param isEnded whether {@code epoch} itself is refused too, because its hold is over
   */
  record Former(int partition, long epoch, boolean isEnded) {

    /** Whether a request under that epoch is refused. */
    boolean isBehind(long asked) {
      return asked < epoch || (isEnded && asked == epoch);
    }
  }

  /**
   * Remembers the epoch of a channel whose client has left. A partition that has no holder is not
   * remembered.
   */
  void left(String channelId, int partition, long epoch) {
    Former known = formerByChannel.get(channelId);
    if (epoch != PartitionControl.EPOCH && (known == null || known.epoch() < epoch)) {
      remember(channelId, new Former(partition, epoch, false));
    }
  }

  /** The session ended its hold of the channel under that epoch. */
  void ended(String channelId, int partition, long epoch) {
    Former known = formerByChannel.get(channelId);
    if (known == null || known.epoch() <= epoch) {
      remember(channelId, new Former(partition, epoch, true));
    }
  }

  private void remember(String channelId, Former former) {
    formerByChannel.remove(channelId);
    formerByChannel.put(channelId, former);
    if (formerByChannel.size() > EPOCHS_MAX) {
      formerByChannel.remove(formerByChannel.keySet().iterator().next());
    }
  }

  /** The last epoch of a channel, if remembered. */
  Optional<Former> of(String channelId) {
    return Optional.ofNullable(formerByChannel.get(channelId));
  }

  /** Forgets a channel that has a client again. */
  void came(String channelId) {
    formerByChannel.remove(channelId);
  }

  /** Forgets a partition that other nodes deliver now, under epochs that this node does not see. */
  void forget(int partition) {
    formerByChannel.values().removeIf(former -> former.partition() == partition);
  }
}
