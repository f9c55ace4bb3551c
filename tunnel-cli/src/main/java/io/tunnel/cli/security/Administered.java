package io.tunnel.cli.security;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;

/**
 * A server that asks everybody who they are.
 *
 * @param config how it is reached
 */
public record Administered(ClientConfig config, SecurityClient client) implements Service {

  static Administered connect(String endpoint) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(Service.RETRY_DEADLINE);
    return new Administered(config, new SecurityClient(config));
  }

  @Override
  public void close() {
    client.close();
  }
}
