package io.tunnel.sdk.profile;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.security.ClientSecurity;
import java.util.List;

/**
 * The endpoints and the security of a service, from a file and the environment.
 *
 * @param endpoints empty when neither source has one
 * @param security of the connections
 */
public record Profile(List<Endpoint> endpoints, ClientSecurity security) {

  /** Copies the list. */
  public Profile {
    endpoints = List.copyOf(endpoints);
  }
}
