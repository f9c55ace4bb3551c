package io.tunnel.cli.service;

import io.tunnel.terminal.options.ServiceOptions;
import java.util.Objects;
import picocli.CommandLine.Mixin;

/** The options of a command that asks a service, and the way to it. */
public final class ServiceAccess {

  private final Service.Connector connector;

  @Mixin private ServiceOptions options;

  /** For picocli: real services. */
  ServiceAccess() {
    this(SdkService::new);
  }

  /** Services that {@code connector} plays, for tests. */
  public ServiceAccess(Service.Connector connector) {
    this.connector = Objects.requireNonNull(connector, "connector");
  }

  /** Connects to the service that the options name. */
  public Service connect() {
    return connector.connect(options.endpoint());
  }

  /** Whether the answer is for a program. */
  public boolean isJson() {
    return options.isJson();
  }
}
