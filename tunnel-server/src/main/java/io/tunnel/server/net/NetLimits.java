package io.tunnel.server.net;

/**
 * What all clients together, and each of them, may make a server hold for them.
 *
 * @param frameMsMax how long a frame may take from its first byte to its last, while the server
 *     reads from its connection
 * @param partialBytesMax memory of frames that have begun and are not whole, of all connections;
 *     beyond it the connection is closed whose frame began first
 * @param requestsMax requests of one connection that are served at the same time; nothing more is
 *     read from it meanwhile
 * @param requestBytesMax memory of all requests that are not answered; beyond it a connection has
 *     one small request served at a time, and larger ones are refused as BUSY
 * @param answerBytesMax bytes of answers and deliveries that clients have not taken, of all
 *     connections; beyond it the connection is closed that has taken nothing for longest
 * @param httpConnectionsMax connections of the HTTP port; a further one takes the place of the
 *     oldest
 */
public record NetLimits(
    int frameMsMax,
    long partialBytesMax,
    int requestsMax,
    long requestBytesMax,
    long answerBytesMax,
    int httpConnectionsMax) {

  private static final int FRAME_MS_MAX = 3_600_000;
  private static final long MIB = 1 << 20;

  /** What fits a heap of 1 GiB. */
  public static final NetLimits DEFAULT =
      new NetLimits(30_000, 64 * MIB, 8_192, 128 * MIB, 128 * MIB, 64);

  /** Refuses limits under which a single client could not work. */
  public NetLimits {
    require(
        frameMsMax >= 100 && frameMsMax <= FRAME_MS_MAX,
        "frameMsMax is 100 to 3600000 (an hour), not " + frameMsMax);
    require(
        partialBytesMax >= 16 * MIB,
        "partialBytesMax is at least 16777216 (two frames), not " + partialBytesMax);
    require(requestsMax >= 1, "requestsMax is at least 1, not " + requestsMax);
    require(
        requestBytesMax >= 16 * MIB,
        "requestBytesMax is at least 16777216 (two frames), not " + requestBytesMax);
    require(
        answerBytesMax >= 16 * MIB,
        "answerBytesMax is at least 16777216 (two frames), not " + answerBytesMax);
    require(httpConnectionsMax >= 1, "httpConnectionsMax is at least 1, not " + httpConnectionsMax);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("net.limits." + message);
    }
  }
}
