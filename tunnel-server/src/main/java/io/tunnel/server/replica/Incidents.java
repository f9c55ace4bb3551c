package io.tunnel.server.replica;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How often each incident has happened; for any thread. */
final class Incidents {

  private final Map<Incident, LongAdder> counts = new EnumMap<>(Incident.class);

  Incidents() {
    for (Incident each : Incident.values()) {
      counts.put(each, new LongAdder());
    }
  }

  void count(Incident what, long times) {
    counts.get(what).add(times);
  }

  long sum(Incident what) {
    return counts.get(what).sum();
  }
}
