package io.tunnel.it.sim.machine;

import io.tunnel.it.sim.truth.Holding;
import io.tunnel.wire.Frame;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What is known of a connection: requests that wait for an answer, and channels by handle. */
public final class WireLink {

  /**
   * A request that waits for its answer.
   *
   * @param acknowledged how far each partition was acknowledged when it arrived
   */
  public record Request(Frame frame, long arrivedNanos, Map<Integer, Long> acknowledged) {

    /** The same request, when a partition has lost what was behind a position. */
    public Request cut(int partition, long committed) {
      Map<Integer, Long> left = new HashMap<>(acknowledged);
      left.computeIfPresent(partition, (id, before) -> Math.min(before, committed));
      return new Request(frame, arrivedNanos, left);
    }
  }

  /** A partition that is read without a tunnel, delivered up to a position. */
  public record Read(int partition, long position) {}

  public final Map<Integer, Request> requests = new HashMap<>();
  public final Map<Integer, Holding> holdings = new HashMap<>();

  /** What is delivered, by the name that deliveries have. */
  public final Map<Integer, Holding> attached = new HashMap<>();

  /** What is read without a tunnel, by handle: partition and last position. */
  public final Map<Integer, Read> reads = new HashMap<>();

  /** Handles of what is delivered to watches, which their watcher judges. */
  public final Set<Integer> watched = new HashSet<>();

  /** Sessions whose workers have asked for their end. */
  public final Set<String> closing = new HashSet<>();
}
