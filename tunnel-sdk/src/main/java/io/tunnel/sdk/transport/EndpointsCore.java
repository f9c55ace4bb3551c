package io.tunnel.sdk.transport;

import io.tunnel.sdk.Endpoint;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The endpoints of the service in the order to try: the configured endpoints, and the endpoints
 * that nodes have named. Each client starts at a random endpoint, so that the clients of a cluster
 * spread.
 */
public final class EndpointsCore {

  /** The most endpoints to know; beyond this, the oldest learned endpoint is forgotten. */
  static final int ENDPOINTS_MAX = 256;

  private final Set<Endpoint> configured;
  private final List<Endpoint> known;
  private int first;

  /**
   * Knows the configured endpoints.
   *
   * @param chance uniform in [0, 1): chooses the first endpoint
   */
  public EndpointsCore(List<Endpoint> configured, double chance) {
    if (configured.isEmpty()) {
      throw new IllegalArgumentException("no endpoint");
    }
    this.configured = new LinkedHashSet<>(configured);
    this.known = new ArrayList<>(this.configured);
    this.first = (int) (chance * known.size());
  }

  /** Adds an endpoint of the service. */
  public void learn(Endpoint endpoint) {
    if (known.contains(endpoint)) {
      return;
    }
    if (known.size() >= ENDPOINTS_MAX) {
      remove(configured.size());
    }
    known.add(endpoint);
  }

  /** All endpoints, in the order to try now. */
  public List<Endpoint> inTurn() {
    List<Endpoint> turn = new ArrayList<>(known.subList(first, known.size()));
    turn.addAll(known.subList(0, first));
    return turn;
  }

  /** Moves an endpoint to the end of the order. */
  public void leave(Endpoint endpoint) {
    int at = known.indexOf(endpoint);
    if (at >= 0) {
      first = (at + 1) % known.size();
    }
  }

  /** Forgets a learned endpoint that does not answer; moves a configured one to the end. */
  public void unreachable(Endpoint endpoint) {
    leave(endpoint);
    if (!configured.contains(endpoint) && known.contains(endpoint)) {
      remove(known.indexOf(endpoint));
    }
  }

  private void remove(int index) {
    known.remove(index);
    if (first > index) {
      first--;
    }
    first %= known.size();
  }
}
