package io.tunnel.server.replica;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How often each incident has happened; for any thread. */
public final class Incidents {

  private final Map<Incident, LongAdder> counts = new EnumMap<>(Incident.class);

  /** Nothing has happened. */
  public Incidents() {
    for (Incident each : Incident.values()) {
      counts.put(each, new LongAdder());
    }
  }

  /** Something has happened so many times. */
  public void count(Incident what, long times) {
    counts.get(what).add(times);
  }

  /** How often something has happened. */
  public long sum(Incident what) {
    return counts.get(what).sum();
  }
}
