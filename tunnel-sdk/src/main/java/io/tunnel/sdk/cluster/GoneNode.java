package io.tunnel.sdk.cluster;

import java.time.Instant;
import java.util.Objects;

/**
 * A former member of a cluster: it was stopped, died, or is cut off.
 *
 * @param name the node's configured name
 * @param address the address for clients, as HOST:PORT
 * @param lastSeen when the node that answered last saw this node as a member
 */
public record GoneNode(String name, String address, Instant lastSeen) {

  /** Refuses null. */
  public GoneNode {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(lastSeen, "lastSeen");
  }
}
