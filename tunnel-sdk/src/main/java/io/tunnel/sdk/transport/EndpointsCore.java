package io.tunnel.sdk.transport;

import io.tunnel.sdk.Endpoint;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Where the service may be reached, and in which turn that is tried: those that were configured,
 * and those that it has told of itself. Each client begins at another one, so that a cluster is not
 * met at one place by all.
 */
public final class EndpointsCore {

  /** Endpoints that are known at most; of those that were learned the oldest is forgotten. */
  static final int ENDPOINTS_MAX = 256;

  private final Set<Endpoint> configured;
  private final List<Endpoint> known;
  private int first;

  /**
   * Knows what was configured.
   *
   * @param chance uniform in [0, 1): says where to begin
   */
  public EndpointsCore(List<Endpoint> configured, double chance) {
    if (configured.isEmpty()) {
      throw new IllegalArgumentException("no endpoint");
    }
    this.configured = new LinkedHashSet<>(configured);
    this.known = new ArrayList<>(this.configured);
    this.first = (int) (chance * known.size());
  }

  /** The service has an endpoint there too. */
  public void learn(Endpoint endpoint) {
    if (known.contains(endpoint)) {
      return;
    }
    if (known.size() >= ENDPOINTS_MAX) {
      remove(configured.size());
    }
    known.add(endpoint);
  }

  /** All of them, in the order in which to try them now. */
  public List<Endpoint> inTurn() {
    List<Endpoint> turn = new ArrayList<>(known.subList(first, known.size()));
    turn.addAll(known.subList(0, first));
    return turn;
  }

  /** It is tried last from now on. */
  public void leave(Endpoint endpoint) {
    int at = known.indexOf(endpoint);
    if (at >= 0) {
      first = (at + 1) % known.size();
    }
  }

  /** Nothing answers there: one that was learned is forgotten. */
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
