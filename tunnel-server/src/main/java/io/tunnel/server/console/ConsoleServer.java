package io.tunnel.server.console;

import java.util.Optional;

/** The server that a console belongs to. Called by the event loop, so it must not wait. */
public interface ConsoleServer {

  /** The name of this node; empty without a cluster. */
  Optional<String> node();

  /** The version of the program. */
  String version();
}
