package io.tunnel.wire;

import java.util.List;

/**
 * What a connection goes on with after its greeting.
 *
 * @param version the greatest version of the protocol that both sides speak
 * @param features what is optional in that version and known to both sides, sorted
 */
public record Agreement(int version, List<String> features) {

  /** Keeps its own list. */
  public Agreement {
    features = List.copyOf(features);
  }
}
