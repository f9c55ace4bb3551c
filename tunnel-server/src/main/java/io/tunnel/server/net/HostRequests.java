package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Json;
import java.io.IOException;

/** Serves requests each on the thread of the host that has the tunnel. */
record HostRequests(TunnelHosts all, RequestThreads threads) {

  /** Does something on a host. */
  @FunctionalInterface
  interface Step {
    void run(TunnelHost host) throws IOException;
  }

  /** Does it on the host's thread; the request is refused if it throws. */
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
   * A tunnel that this node does not know may exist at another one, which has taken over without
   * this one knowing; and who is told that it does not exist gives up for good.
   */
  private static void requireSure(TunnelHost host, RefusedException refusal) throws IOException {
    if (refusal.code() == ErrorCode.TUNNEL_NOT_FOUND) {
      host.catalog().confirm();
    }
  }

  /** {@link #on}, and answers with nothing but that it is done. */
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
