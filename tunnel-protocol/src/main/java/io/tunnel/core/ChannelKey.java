package io.tunnel.core;

import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import java.util.Comparator;
import java.util.List;

/**
 * Names a channel inside its tunnel. Ordered by partition; the base channel of a partition comes
 * before its stream channel.
 */
public record ChannelKey(int partition, ChannelType type) implements Comparable<ChannelKey> {

  private static final Comparator<ChannelKey> ORDER =
      Comparator.comparingInt(ChannelKey::partition).thenComparing(ChannelKey::type);

  /** Suffix of a base channel's name. */
  public static final String BASE_SUFFIX = "_base";

  /** The stream channel of a partition. */
  public static ChannelKey stream(int partition) {
    return new ChannelKey(partition, ChannelType.Stream);
  }

  /** The base channel of a partition. */
  public static ChannelKey base(int partition) {
    return new ChannelKey(partition, ChannelType.BaseData);
  }

  /** The channels of a partition in a tunnel of this type. */
  public static List<ChannelKey> of(TunnelType type, int partition) {
    return switch (type) {
      case BaseData -> List.of(base(partition));
      case Stream -> List.of(stream(partition));
      case BaseAndStream -> List.of(base(partition), stream(partition));
    };
  }

  /** The channel's id, unique among the channels of all tunnels. */
  public String channelId(String tunnelId) {
    return partition + "_" + tunnelId + (type == ChannelType.BaseData ? BASE_SUFFIX : "");
  }

  /** The tunnel in a channel's id. */
  public static String tunnelId(String channelId) {
    int end = channelId.endsWith(BASE_SUFFIX) ? BASE_SUFFIX.length() : 0;
    return channelId.substring(channelId.indexOf('_') + 1, channelId.length() - end);
  }

  @Override
  public int compareTo(ChannelKey other) {
    return ORDER.compare(this, other);
  }
}
