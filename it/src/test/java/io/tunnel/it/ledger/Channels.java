package io.tunnel.it.ledger;

import io.tunnel.fixtures.Poll;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The channels of one tunnel, as the server describes them. */
public record Channels(TunnelClient client, String table, String tunnel) {

  public List<ChannelInfo> now() {
    return client.describeTunnel(new DescribeTunnelRequest(table, tunnel)).getChannelInfos();
  }

  public String tunnelId() {
    return client
        .describeTunnel(new DescribeTunnelRequest(table, tunnel))
        .getTunnelInfo()
        .getTunnelId();
  }

  /** How many channels each worker holds and is sent. */
  public Map<String, Integer> openByTag() {
    Map<String, Integer> counts = new TreeMap<>();
    for (ChannelInfo channel : now()) {
      if (channel.getChannelStatus() == ChannelStatus.OPEN) {
        counts.merge(channel.clientTag().orElse("?"), 1, Integer::sum);
      }
    }
    return counts;
  }

  /** The partitions of the channels that a worker holds. */
  public Set<Integer> partitionsOf(String tag) {
    return now().stream()
        .filter(channel -> channel.clientTag().equals(Optional.of(tag)))
        .map(ChannelInfo::partition)
        .collect(Collectors.toSet());
  }

  /** Waits until the channels are spread like that. */
  public void awaitSpread(Map<String, Integer> countByTag) {
    Poll.until(
        Poll.LONG,
        () -> openByTag().equals(countByTag),
        () -> "channels spread like " + countByTag + " but " + now());
  }

  /** Waits until these workers, and no others, hold that many channels, as evenly as can be. */
  public void awaitShared(Set<String> tags, int channels) {
    int least = channels / tags.size();
    Poll.until(
        Poll.LONG,
        () -> {
          Map<String, Integer> counts = openByTag();
          return counts.keySet().equals(tags)
              && counts.values().stream().allMatch(count -> count == least || count == least + 1)
              && counts.values().stream().mapToInt(count -> count).sum() == channels;
        },
        () -> channels + " channels held evenly by " + tags + ", but " + openByTag());
  }

  /** Waits until everything committed is processed and checkpointed. */
  public void awaitDrained() {
    awaitDrained(Set.of(ChannelType.values()));
  }

  /** Returns when the channels of a type are drained. */
  public void awaitDrained(ChannelType type) {
    awaitDrained(Set.of(type));
  }

  private void awaitDrained(Set<ChannelType> types) {
    Poll.until(
        Poll.LONG,
        () ->
            now().stream()
                .filter(channel -> types.contains(channel.getChannelType()))
                .allMatch(channel -> channel.checkpointed() == channel.committed()),
        () -> "all channels drained, but " + now());
  }

  /** Waits until all channels of a type are finished. */
  public void awaitTerminated(ChannelType type) {
    Poll.until(
        Poll.LONG,
        () ->
            now().stream()
                .filter(channel -> channel.getChannelType() == type)
                .allMatch(channel -> channel.getChannelStatus() == ChannelStatus.TERMINATED),
        () -> "all channels with " + type + " terminated, but " + now());
  }

  /** Checkpoints of the channels of a type by partition. */
  public Map<Integer, Long> checkpoints(ChannelType type) {
    Map<Integer, Long> all = new TreeMap<>();
    for (ChannelInfo channel : now()) {
      if (channel.getChannelType() == type) {
        all.put(channel.partition(), channel.checkpointed());
      }
    }
    return all;
  }

  /** Checkpoints by partition. */
  public Map<Integer, Long> checkpoints() {
    Map<Integer, Long> all = new TreeMap<>();
    now().forEach(channel -> all.put(channel.partition(), channel.checkpointed()));
    return all;
  }

  /** Waits until every channel is checkpointed at these positions at least, by partition. */
  public void awaitBeyond(Map<Integer, Long> positions) {
    Poll.until(
        Poll.LONG,
        () ->
            checkpoints(ChannelType.Stream).entrySet().stream()
                .allMatch(channel -> channel.getValue() >= positions.get(channel.getKey())),
        () -> "channels at " + positions + ", but " + now());
  }

  /** Waits until every channel is checkpointed at some change. */
  public void awaitProgress() {
    Poll.until(
        Poll.LONG,
        () -> now().stream().allMatch(channel -> channel.checkpointed() > 0),
        () -> "a checkpoint on every channel, but " + now());
  }
}
