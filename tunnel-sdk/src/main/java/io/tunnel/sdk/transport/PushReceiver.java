package io.tunnel.sdk.transport;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.wire.Frame;

/** Receives the server's pushes. Called on the connection's event loop; must not block. */
public interface PushReceiver {

  /** Drops every push. */
  PushReceiver NONE =
      new PushReceiver() {
        @Override
        public void pushed(Frame frame) {}

        @Override
        public void lost(ConnectionException reason) {}
      };

  /** A PUSH frame, or an ERROR frame that answers no request. */
  void pushed(Frame frame);

  /** The connection is closed; called once, as the last call. */
  void lost(ConnectionException reason);
}
