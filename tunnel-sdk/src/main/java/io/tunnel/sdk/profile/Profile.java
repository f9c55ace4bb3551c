package io.tunnel.sdk.profile;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.security.ClientSecurity;
import java.util.List;

/**
 * How a service is reached, as a file and the environment say.
 *
 * @param endpoints none when nobody says any
 * @param security of the connections
 */
public record Profile(List<Endpoint> endpoints, ClientSecurity security) {

  /** Copies the list. */
  public Profile {
    endpoints = List.copyOf(endpoints);
  }
}
