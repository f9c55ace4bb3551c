package io.tunnel.cli.service;

import io.tunnel.terminal.CommandGroup;
import java.util.Objects;

/** A group of commands that ask the same service. */
public abstract class ServiceGroup<S extends Service> extends CommandGroup {

  private final Service.Connector<S> connector;

  protected ServiceGroup(Service.Connector<S> connector) {
    this.connector = Objects.requireNonNull(connector, "connector");
  }

  final S connect(String endpoint) {
    return connector.connect(endpoint);
  }
}
