package io.tunnel.flink;

import io.tunnel.model.Names;
import io.tunnel.sdk.ClientConfig;
import java.io.Serializable;
import java.util.Objects;

/**
 * A table of a service.
 *
 * @param endpoint the endpoint of the service, for {@link ClientConfig#of(String)}: {@code
 *     host:port} with commas between several, or a {@code profile:}, which each machine reads for
 *     itself. The text, and so the job, contains no secret
 * @param table the table's name
 */
public record TunnelOptions(String endpoint, String table) implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Refuses null, malformed endpoints, and malformed table names. */
  public TunnelOptions {
    endpoint = ClientConfig.canonical(Objects.requireNonNull(endpoint, "endpoint"));
    table = Names.requireResourceName("table", Objects.requireNonNull(table, "table"));
  }

  /**
   * The configuration of clients on this machine.
   *
   * @throws io.tunnel.sdk.security.ProfileException when the profile cannot be used here
   */
  public ClientConfig clientConfig() {
    return ClientConfig.of(endpoint);
  }
}
