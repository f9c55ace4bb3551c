package io.tunnel.it.process;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import io.tunnel.sdk.security.SecurityClient.Permission;

/** What clients reach at an endpoint: a server alone, or the nodes of a cluster. */
public interface Service {

  /** As {@link io.tunnel.sdk.ClientConfig#of(String)} reads it. */
  String endpoint();

  /** How the tests' own clients reach it. */
  default ClientConfig client() {
    return ClientConfig.of(endpoint());
  }

  /** How a client with a new key of the principal, which gets these permissions, reaches it. */
  default ClientConfig clientOf(String principal, Permission... permissions) {
    ClientConfig administrator = client();
    try (SecurityClient security = new SecurityClient(administrator)) {
      IssuedKey issued = security.createKey(principal);
      for (Permission permission : permissions) {
        security.grant(permission);
      }
      AccessKey key = new AccessKey(issued.key().id(), issued.secret());
      return administrator.withSecurity(administrator.security().withKey(key));
    }
  }
}
