package io.tunnel.wire;

import java.util.List;

/**
 * The result of a greeting.
 *
 * @param version the greatest version of the protocol that both sides speak
 * @param features the optional features that both sides know, sorted
 */
public record Agreement(int version, List<String> features) {

  /** Copies the list. */
  public Agreement {
    features = List.copyOf(features);
  }
}
