package io.tunnel.it.process;

import io.tunnel.sdk.ClientConfig;

/** What clients reach at an endpoint: a server alone, or the nodes of a cluster. */
public interface Service {

  /** As {@link io.tunnel.sdk.ClientConfig#of(String)} reads it. */
  String endpoint();

  /** How the tests' own clients reach it. */
  default ClientConfig client() {
    return ClientConfig.of(endpoint());
  }
}
