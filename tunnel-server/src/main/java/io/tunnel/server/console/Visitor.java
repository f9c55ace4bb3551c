package io.tunnel.server.console;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.server.net.access.Caller;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * Who asks the console.
 *
 * @param caller the principal with its rights at this moment
 * @param session id of the browser's session; empty for a script that sends its token with each
 *     request, and for a browser that an open server sees for the first time
 * @param tokenHash hash of the token that the request or its session has; empty on an open server
 */
record Visitor(Caller caller, Optional<String> session, Optional<Bytes> tokenHash) {

  /**
   * The author of the visitor's requests.
   *
   * @param from the address of the visitor's browser
   */
  OnBehalf onBehalf(SocketAddress from) {
    String address =
        from instanceof InetSocketAddress inet && inet.getAddress() != null
            ? inet.getAddress().getHostAddress()
            : "0.0.0.0";
    int scope = address.indexOf('%');
    return new OnBehalf(caller.principal(), scope < 0 ? address : address.substring(0, scope));
  }
}
