package io.tunnel.server.log;

import java.io.IOException;

/**
 * Durable bytes of a log are not what was written: nothing may be served from them and nothing may
 * be cut away.
 */
final class CorruptLogException extends IOException {

  private static final long serialVersionUID = 1L;

  CorruptLogException(String message) {
    super(message);
  }
}
