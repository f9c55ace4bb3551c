package io.tunnel.it;

/** What clients reach at an endpoint: a server alone, or the nodes of a cluster. */
interface Service {

  /** As {@link io.tunnel.sdk.ClientConfig#of(String)} reads it. */
  String endpoint();
}
