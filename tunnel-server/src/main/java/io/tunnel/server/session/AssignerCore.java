package io.tunnel.server.session;

import io.tunnel.server.catalog.tunnel.ChannelKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Spreads channels over sessions: evenly (no two sessions with room differ by more than one), with
 * the fewest moves, and the same for the same input. A pure function, and the one place that
 * decides who has room.
 *
 * <p>A channel that has to move is not given to anybody yet: it leaves its session first, is free
 * then, and finds the place that was kept for it. As long as it is on its way it takes room where
 * it comes from, and counts as one that wants a place. No place is kept for nothing: as many free
 * channels are given away as there is room for.
 */
final class AssignerCore {

  private AssignerCore() {}

  /**
   * A session that wants channels.
   *
   * @param channelsMax channels it takes at most; 0 for any number
   * @param leaving channels that it holds and was asked to give back
   */
  record Seat(String sessionId, int channelsMax, int leaving) {

    /** Whether there is room for a channel beside {@code count} and those that are leaving. */
    boolean hasRoomBeside(int count) {
      return channelsMax == 0 || count + leaving < channelsMax;
    }
  }

  /**
   * Who shall hold each channel.
   *
   * @param seats sessions in the order in which they came
   * @param ownerByChannel the channels that are not leaving, in a fixed order, each with the
   *     session that holds it, or null
   * @param comingBack how many channels that are leaving will be free then
   * @return the session of each channel; one that is held and missing here has to leave, one that
   *     is free and missing has to wait until there is room
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
   * How many channels each session shall hold: filled level by level, those first that hold most
   * already.
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
