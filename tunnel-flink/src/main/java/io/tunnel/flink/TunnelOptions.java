package io.tunnel.flink;

import io.tunnel.model.Names;
import io.tunnel.sdk.ClientConfig;
import java.io.Serializable;
import java.util.Objects;

/**
 * Which table of which service.
 *
 * @param endpoint where the service listens, as {@link ClientConfig#of(String)} reads it: one or
 *     several {@code host:port} with commas between them, or a {@code profile:}, which each machine
 *     reads for itself. No secret is in the text, and so none is in a job
 * @param table the table's name
 */
public record TunnelOptions(String endpoint, String table) implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Refuses null, endpoints that are none, and what no table can be called. */
  public TunnelOptions {
    endpoint = ClientConfig.canonical(Objects.requireNonNull(endpoint, "endpoint"));
    table = Names.requireResourceName("table", Objects.requireNonNull(table, "table"));
  }

  /**
   * How clients of this machine reach the service.
   *
   * @throws io.tunnel.sdk.security.ProfileException when the profile cannot be used here
   */
  public ClientConfig clientConfig() {
    return ClientConfig.of(endpoint);
  }
}
