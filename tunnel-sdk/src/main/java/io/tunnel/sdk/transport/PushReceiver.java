package io.tunnel.sdk.transport;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.wire.Frame;

/** Takes what the server says unasked. Called on the connection's event loop; must not block. */
public interface PushReceiver {

  /** Expects nothing: a push is dropped. */
  PushReceiver NONE =
      new PushReceiver() {
        @Override
        public void pushed(Frame frame) {}

        @Override
        public void lost(ConnectionException reason) {}
      };

  /** A PUSH frame, or an ERROR frame that answers no request. */
  void pushed(Frame frame);

  /** The connection is closed; called once, after everything else. */
  void lost(ConnectionException reason);
}
