package io.tunnel.server.channel.watch;

/**
 * How many bytes a watch grants its hub: bytes of changes that the hub may take out of the log for
 * the watch before they are sent. The granted space bounds the memory of a watch whose client is
 * slow.
 *
 * <p>Invariant: at most {@code min(credit, windowBytesMax)} bytes are given or wait, but for one
 * change, because changes are not cut.
 */
final class CreditCore {

  private final int windowBytesMax;

  /** What the client accepts yet; the last delivery may make it negative. */
  private long credit;

  /** Space that the hub has, as far as pages have not arrived. */
  private long given;

  /** Bytes of pages that have arrived and are not sent. */
  private long pending;

  CreditCore(int windowBytesMax) {
    this.windowBytesMax = windowBytesMax;
  }

  /** The client accepts {@code bytes} more. */
  void credit(int bytes) {
    credit += bytes;
  }

  /** A page of so many bytes has arrived from the hub. */
  void arrived(long bytes) {
    given -= bytes;
    pending += bytes;
  }

  /** A page was sent, in a delivery of {@code payloadBytes}. */
  void sent(long bytes, int payloadBytes) {
    pending -= bytes;
    credit -= payloadBytes;
  }

  /** More space for the hub; 0 while the rest is not worth a message. */
  long giveMore() {
    long missing = Math.min(credit, windowBytesMax) - pending - given;
    if (missing <= 0 || (given > 0 && missing < windowBytesMax / 2)) {
      return 0;
    }
    given += missing;
    return missing;
  }
}
