package io.tunnel.server.console;

import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The sessions of browsers that are logged in. A session ends {@value #LIFE_H_MAX} h after its
 * log-in, or after {@value #IDLE_MIN_MAX} minutes without a request. A principal has at most
 * {@value #OF_PRINCIPAL_MAX} sessions: one more ends the principal's oldest session. When all
 * {@value #SESSIONS_MAX} places are taken, a log-in ends the oldest session of the principal with
 * the most. Not thread-safe.
 */
final class SessionsCore {

  static final int SESSIONS_MAX = 256;
  static final int OF_PRINCIPAL_MAX = 16;
  static final int LIFE_H_MAX = 12;
  static final int IDLE_MIN_MAX = 30;

  private static final long LIFE_NANOS_MAX = TimeUnit.HOURS.toNanos(LIFE_H_MAX);
  private static final long IDLE_NANOS_MAX = TimeUnit.MINUTES.toNanos(IDLE_MIN_MAX);

  /** By id, in the order of the log-ins. */
  private final Map<String, Open> sessions = new LinkedHashMap<>();

  /**
   * A session.
   *
   * @param principal the principal that logged in
   * @param tokenHash hash of the token that logged in; the session is worth as much as the token
   */
  record Session(String principal, Bytes tokenHash) {}

  private record Open(Session session, long openedNanos, long usedNanos) {

    boolean isOver(long nowNanos) {
      return nowNanos - openedNanos >= LIFE_NANOS_MAX || nowNanos - usedNanos >= IDLE_NANOS_MAX;
    }
  }

  /**
   * Adds a session.
   *
   * @param id unpredictable, and never used before
   */
  void open(String id, Session session, long nowNanos) {
    sessions.values().removeIf(open -> open.isOver(nowNanos));
    if (count(session.principal()) >= OF_PRINCIPAL_MAX) {
      endOldest(session.principal());
    } else if (sessions.size() >= SESSIONS_MAX) {
      endOldest(largest());
    }
    sessions.put(id, new Open(session, nowNanos, nowNanos));
  }

  private String largest() {
    Map<String, Integer> counts = new HashMap<>();
    sessions.values().forEach(open -> counts.merge(open.session().principal(), 1, Integer::sum));
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElseThrow(() -> new IllegalStateException("no session, but no place"));
  }

  private void endOldest(String principal) {
    Iterator<Open> all = sessions.values().iterator();
    while (all.hasNext()) {
      if (all.next().session().principal().equals(principal)) {
        all.remove();
        return;
      }
    }
  }

  /** The session with an id; the request for it counts as a use. */
  Optional<Session> use(String id, long nowNanos) {
    Open open = sessions.get(id);
    if (open == null) {
      return Optional.empty();
    }
    if (open.isOver(nowNanos)) {
      sessions.remove(id);
      return Optional.empty();
    }
    // Replacing a value keeps the order of the log-ins.
    sessions.put(id, new Open(open.session(), open.openedNanos(), nowNanos));
    return Optional.of(open.session());
  }

  /** Ends a session, if it exists. */
  void end(String id) {
    sessions.remove(id);
  }

  /** Sessions that are kept, some of which may be over. */
  int count() {
    return sessions.size();
  }

  /** Sessions of a principal that are kept, some of which may be over. */
  long count(String principal) {
    return sessions.values().stream()
        .filter(open -> open.session().principal().equals(principal))
        .count();
  }
}
