package io.tunnel.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Spreads channels over sessions: evenly (no two sessions with capacity differ by more than one),
 * with the fewest moves, deterministically. A pure function, and the one place that decides which
 * session has capacity.
 *
 * <p>A channel that must move leaves its session first; then it is free and gets the reserved
 * place. A leaving channel still takes capacity of its session, and counts as a channel that needs
 * a place. Places are reserved only for leaving channels: free channels get the remaining capacity
 * at once.
 */
final class AssignerCore {

  private AssignerCore() {}

  /**
   * A session that wants channels.
   *
   * @param channelsMax the most channels that it takes; 0 without a limit
   * @param leaving channels that it holds and must give back
   */
  record Seat(String sessionId, int channelsMax, int leaving) {

    /**
     * Whether there is capacity for one more channel in addition to {@code count} and the leaving
     * ones.
     */
    boolean hasRoomBeside(int count) {
      return channelsMax == 0 || count + leaving < channelsMax;
    }
  }

  /**
   * Assigns each channel.
   *
   * @param seats sessions in the order in which they were opened
   * @param ownerByChannel the channels that are not leaving, in a fixed order, each with the
   *     session that holds it, or null
   * @param comingBack the number of leaving channels that will be assigned again
   * @return the session of each channel; a held channel that is missing must leave its session, a
   *     free channel that is missing waits for capacity
   */
  static Map<ChannelKey, String> assign(
      List<Seat> seats, Map<ChannelKey, String> ownerByChannel, int comingBack) {
    Map<String, List<ChannelKey>> held = new HashMap<>();
    seats.forEach(seat -> held.put(seat.sessionId(), new ArrayList<>()));
    List<ChannelKey> free = new ArrayList<>();
    ownerByChannel.forEach(
        (channel, owner) -> {
          List<ChannelKey> ofOwner = owner == null ? null : held.get(owner);
          (ofOwner == null ? free : ofOwner).add(channel);
        });
    Map<String, Integer> quotas = quotas(seats, held, ownerByChannel.size() + comingBack);
    Map<ChannelKey, String> target = new LinkedHashMap<>();
    int next = 0;
    for (Seat seat : seats) {
      List<ChannelKey> channels = held.get(seat.sessionId());
      int quota = quotas.get(seat.sessionId());
      for (ChannelKey channel : channels.subList(0, Math.min(quota, channels.size()))) {
        target.put(channel, seat.sessionId());
      }
      for (int room = quota - channels.size(); room > 0 && next < free.size(); room--) {
        target.put(free.get(next++), seat.sessionId());
      }
    }
    return target;
  }

  /**
   * The number of channels for each session: filled level by level, sessions with the most channels
   * first.
   */
  private static Map<String, Integer> quotas(
      List<Seat> seats, Map<String, List<ChannelKey>> held, int channelCount) {
    Map<String, Integer> quotas = new HashMap<>();
    seats.forEach(seat -> quotas.put(seat.sessionId(), 0));
    List<Seat> hungry = new ArrayList<>(seats);
    hungry.removeIf(seat -> !seat.hasRoomBeside(0));
    hungry.sort((a, b) -> held.get(b.sessionId()).size() - held.get(a.sessionId()).size());
    int left = channelCount;
    for (int level = 1; left > 0 && !hungry.isEmpty(); level++) {
      int quota = level;
      for (Seat seat : hungry.subList(0, Math.min(left, hungry.size()))) {
        quotas.put(seat.sessionId(), quota);
        left--;
      }
      hungry.removeIf(seat -> !seat.hasRoomBeside(quota));
    }
    return quotas;
  }
}
