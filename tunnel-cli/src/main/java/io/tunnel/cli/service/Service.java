package io.tunnel.cli.service;

import java.time.Duration;

/** What a server offers to a group of commands, on a connection that is closed afterwards. */
public interface Service extends AutoCloseable {

  /** Retries are kept short: somebody is waiting at a terminal, and no server stays no server. */
  Duration RETRY_DEADLINE = Duration.ofSeconds(2);

  @Override
  void close();

  /** Reaches the server at an endpoint. */
  @FunctionalInterface
  interface Connector<S extends Service> {
    S connect(String endpoint);
  }
}
