package io.tunnel.server.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Spreads channels over sessions: evenly (no two sessions with room differ by more than one), with
 * the fewest moves, and the same for the same input. A pure function.
 */
final class AssignerCore {

  private AssignerCore() {}

  /**
   * A session that wants channels.
   *
   * @param channelsMax channels it takes at most; 0 for any number
   */
  record Seat(String sessionId, int channelsMax) {}

  /**
   * Who shall hold each channel.
   *
   * @param seats sessions in the order in which they came
   * @param ownerByChannel the channels in a fixed order, each with the session that holds it, or
   *     null
   * @return the session of each channel; a channel is missing when every session is full
   */
  static Map<Integer, String> assign(List<Seat> seats, Map<Integer, String> ownerByChannel) {
    Map<String, List<Integer>> held = new LinkedHashMap<>();
    seats.forEach(seat -> held.put(seat.sessionId(), new ArrayList<>()));
    List<Integer> free = new ArrayList<>();
    ownerByChannel.forEach(
        (channel, owner) -> {
          if (owner != null && held.containsKey(owner)) {
            held.get(owner).add(channel);
          } else {
            free.add(channel);
          }
        });
    Map<String, Integer> quotas = quotas(seats, held, ownerByChannel.size());
    held.forEach(
        (session, channels) -> {
          int quota = quotas.get(session);
          while (channels.size() > quota) {
            free.add(channels.remove(channels.size() - 1));
          }
        });
    free.sort(null);
    Map<Integer, String> target = new HashMap<>();
    int next = 0;
    for (Seat seat : seats) {
      List<Integer> channels = held.get(seat.sessionId());
      while (channels.size() < quotas.get(seat.sessionId()) && next < free.size()) {
        channels.add(free.get(next++));
      }
      channels.forEach(channel -> target.put(channel, seat.sessionId()));
    }
    return target;
  }

  /**
   * How many channels each session shall hold: filled level by level, those first that hold most
   * already.
   */
  private static Map<String, Integer> quotas(
      List<Seat> seats, Map<String, List<Integer>> held, int channelCount) {
    Map<String, Integer> quotas = new HashMap<>();
    seats.forEach(seat -> quotas.put(seat.sessionId(), 0));
    List<Seat> byHeld = new ArrayList<>(seats);
    byHeld.sort((a, b) -> held.get(b.sessionId()).size() - held.get(a.sessionId()).size());
    int left = channelCount;
    boolean hasRoom = true;
    while (left > 0 && hasRoom) {
      hasRoom = false;
      for (Seat seat : byHeld) {
        int quota = quotas.get(seat.sessionId());
        if (left > 0 && (seat.channelsMax() == 0 || quota < seat.channelsMax())) {
          quotas.put(seat.sessionId(), quota + 1);
          left--;
          hasRoom = true;
        }
      }
    }
    return quotas;
  }
}
