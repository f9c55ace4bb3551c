package io.tunnel.sdk.transport;

import io.tunnel.sdk.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The last known leader of each subject. Thread-safe. */
final class Leaders {

  /** The most subjects to remember; beyond this, the least recently used subject is forgotten. */
  static final int SUBJECTS_MAX = 4_096;

  private final Map<Subject, Endpoint> leaders =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Subject, Endpoint> eldest) {
          return size() > SUBJECTS_MAX;
        }
      };

  synchronized Optional<Endpoint> of(Subject subject) {
    return Optional.ofNullable(leaders.get(subject));
  }

  synchronized void learn(Subject subject, Endpoint leader) {
    leaders.put(subject, leader);
  }

  /** Forgets a leader that is none, or cannot be reached. */
  synchronized void forget(Subject subject, Optional<Endpoint> leader) {
    leader.ifPresent(known -> leaders.remove(subject, known));
  }
}
