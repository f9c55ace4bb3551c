package io.tunnel.cli;

/** What a server offers to a group of commands, on a connection that is closed afterwards. */
interface Service extends AutoCloseable {

  @Override
  void close();

  /** Reaches the server at an endpoint. */
  @FunctionalInterface
  interface Connector<S extends Service> {
    S connect(String endpoint);
  }
}
