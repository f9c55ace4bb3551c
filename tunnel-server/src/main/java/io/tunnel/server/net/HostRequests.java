package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Json;
import java.io.IOException;

/** Serves requests on the control threads of their tunnels' hosts. */
record HostRequests(TunnelHosts all, RequestThreads threads) {

  /** A request's work on a host. */
  @FunctionalInterface
  interface Step {
    void run(TunnelHost host) throws IOException;
  }

  /** Runs {@code step} on the host's thread; an exception refuses the request. */
  void on(TunnelHost host, Frame frame, Connection connection, Step step) {
    threads.post(
        host.control(),
        frame,
        connection,
        () -> {
          try {
            step.run(host);
          } catch (RefusedException e) {
            requireSure(host, e);
            throw e;
          }
        });
  }

  /**
   * Confirms that this node still leads before it says that a tunnel does not exist: a newer leader
   * may know the tunnel, and a client that is told so gives up for good.
   */
  private static void requireSure(TunnelHost host, RefusedException refusal) throws IOException {
    if (refusal.code() == ErrorCode.TUNNEL_NOT_FOUND) {
      host.catalog().confirm();
    }
  }

  /** {@link #on}, with an empty answer. */
  void done(TunnelHost host, Frame frame, Connection connection, Step step) {
    on(
        host,
        frame,
        connection,
        found -> {
          step.run(found);
          connection.respond(frame, Json.encode(new Empty()));
        });
  }
}
