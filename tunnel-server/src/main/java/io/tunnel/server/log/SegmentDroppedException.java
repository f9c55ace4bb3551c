package io.tunnel.server.log;

import java.io.IOException;

/** Bytes of a segment were asked for whose file was deleted: all changes in it had been trimmed. */
final class SegmentDroppedException extends IOException {

  private static final long serialVersionUID = 1;

  SegmentDroppedException(long base, IOException cause) {
    super("the segment at offset " + base + " is no longer kept", cause);
  }
}
