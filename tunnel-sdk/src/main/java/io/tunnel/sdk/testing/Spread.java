package io.tunnel.sdk.testing;

import io.tunnel.model.ChannelStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Decides which session gets a channel, and which has to give one back: channel counts of sessions
 * with room differ by at most one, and no channel moves without need.
 */
final class Spread {

  private Spread() {}

  /** The session with room and the fewest channels; of several, the oldest. */
  static Optional<MemorySession> fewest(
      List<MemorySession> sessions, ToIntFunction<MemorySession> count) {
    return sessions.stream()
        .filter(session -> hasRoom(session, count.applyAsInt(session)))
        .min(Comparator.comparingInt(count));
  }

  private static boolean hasRoom(MemorySession session, int count) {
    return session.channelsMax() == 0 || count < session.channelsMax();
  }

  /** The channels that have to move; a moving channel counts for the session that will get it. */
  static List<MemoryChannel> tooMany(
      List<MemorySession> sessions,
      List<MemoryChannel> channels,
      Predicate<MemoryChannel> isWanted) {
    Map<MemorySession, List<MemoryChannel>> open = new LinkedHashMap<>();
    Map<MemorySession, Integer> shares = new LinkedHashMap<>();
    for (MemorySession session : sessions) {
      List<MemoryChannel> own = openOf(session, channels);
      open.put(session, own);
      shares.put(session, own.size());
    }
    channels.stream()
        .filter(channel -> channel.status() == ChannelStatus.CLOSING && isWanted.test(channel))
        .forEach(channel -> fewest(sessions, shares::get).ifPresent(to -> add(shares, to, 1)));
    List<MemoryChannel> moving = new ArrayList<>();
    for (Optional<MemoryChannel> next = next(sessions, open, shares);
        next.isPresent();
        next = next(sessions, open, shares)) {
      moving.add(next.get());
    }
    return moving;
  }

  private static List<MemoryChannel> openOf(MemorySession session, List<MemoryChannel> channels) {
    List<MemoryChannel> own = new ArrayList<>();
    for (MemoryChannel channel : channels) {
      if (channel.isHeldBy(session) && channel.status() == ChannelStatus.OPEN) {
        own.add(channel);
      }
    }
    return own;
  }

  /**
   * One channel of the session with the most channels, if moving it to the session with the fewest
   * evens the counts.
   */
  private static Optional<MemoryChannel> next(
      List<MemorySession> sessions,
      Map<MemorySession, List<MemoryChannel>> open,
      Map<MemorySession, Integer> shares) {
    Optional<MemorySession> least = fewest(sessions, shares::get);
    Optional<MemorySession> most =
        sessions.stream()
            .filter(session -> !open.get(session).isEmpty())
            .max(Comparator.comparingInt(shares::get));
    if (least.isEmpty()
        || most.isEmpty()
        || shares.get(most.get()) - shares.get(least.get()) <= 1) {
      return Optional.empty();
    }
    add(shares, most.get(), -1);
    add(shares, least.get(), 1);
    List<MemoryChannel> own = open.get(most.get());
    return Optional.of(own.remove(own.size() - 1));
  }

  private static void add(Map<MemorySession, Integer> shares, MemorySession session, int change) {
    shares.merge(session, change, Integer::sum);
  }
}
