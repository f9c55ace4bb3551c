package io.tunnel.sdk.cluster;

import java.time.Instant;
import java.util.Objects;

/**
 * A node that was a member of a cluster and is none any more: it was stopped, died, or is cut off.
 *
 * @param name as it was configured
 * @param address where clients reached it, as HOST:PORT
 * @param lastSeen when the node that answered saw it last as a member
 */
public record GoneNode(String name, String address, Instant lastSeen) {

  /** Refuses null. */
  public GoneNode {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(lastSeen, "lastSeen");
  }
}
