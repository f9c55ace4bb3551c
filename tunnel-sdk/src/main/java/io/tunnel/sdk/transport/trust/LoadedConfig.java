package io.tunnel.sdk.transport.trust;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.ProfileException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * A client's configuration with the certificates from its files, read once when the client is made:
 * a replaced file counts for the next client, and no connection reads a file. Thread-safe.
 */
public final class LoadedConfig {

  private final ClientConfig config;
  private final Optional<SslContext> tls;

  private LoadedConfig(ClientConfig config, Optional<SslContext> tls) {
    this.config = config;
    this.tls = tls;
  }

  /**
   * Reads the files.
   *
   * @throws ProfileException when a file is missing, or holds no certificate or key
   */
  public static LoadedConfig of(ClientConfig config) {
    ClientSecurity security = config.security();
    return new LoadedConfig(
        config, security.isTls() ? Optional.of(context(security)) : Optional.empty());
  }

  private static SslContext context(ClientSecurity security) {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .protocols("TLSv1.3", "TLSv1.2")
            .endpointIdentificationAlgorithm("HTTPS");
    security.authority().ifPresent(pem -> builder.trustManager(KeyFiles.certificates(pem)));
    security.certificate().ifPresent(own -> builder.keyManager(KeyFiles.own(own)));
    try {
      return builder.build();
    } catch (SSLException e) {
      throw new ProfileException("the certificates cannot be used: " + e.getMessage());
    }
  }

  /** The configuration without the contents of the files. */
  public ClientConfig config() {
    return config;
  }

  /**
   * The handler that encrypts one connection to {@code endpoint}, and requires the endpoint's name
   * or address in the server's certificate; empty without TLS. The handshake has the deadline of
   * connecting.
   */
  public Optional<SslHandler> tls(ByteBufAllocator buffers, Endpoint endpoint) {
    return tls.map(
        context -> {
          SslHandler handler = context.newHandler(buffers, endpoint.host(), endpoint.port());
          handler.setHandshakeTimeoutMillis(config.connectDeadline().toMillis());
          return handler;
        });
  }
}
