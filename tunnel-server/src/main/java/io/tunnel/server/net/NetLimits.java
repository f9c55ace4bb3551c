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
 * @param connectionAnswerBytesMax bytes of answers and deliveries of one connection that are being
 *     made at their largest, or are made and not taken; nothing more is read for it beyond, and it
 *     is closed when small answers alone come to more
 * @param httpConnectionsMax connections of the HTTP port; a further one takes the place of the
 *     oldest
 * @param connectionsPerAddressMax connections of one address, of IPv6 one network of 64 bits; a
 *     further one takes the place of one of them that has not greeted, or is refused as BUSY; 0 for
 *     a quarter of those that the server accepts
 * @param idleMsMax how long a connection may ask and hold nothing until it is closed; at most twice
 *     as long passes until it is
 * @param principalMetricsMax principals that have meters of their own; all others have theirs
 *     together
 */
public record NetLimits(
    int frameMsMax,
    long partialBytesMax,
    int requestsMax,
    long requestBytesMax,
    long answerBytesMax,
    long connectionAnswerBytesMax,
    int httpConnectionsMax,
    int connectionsPerAddressMax,
    int idleMsMax,
    int principalMetricsMax) {

  private static final int FRAME_MS_MAX = 3_600_000;
  private static final int PRINCIPAL_METRICS_MAX = 10_000;
  private static final int IDLE_MS_MIN = 10_000;
  private static final int IDLE_MS_MAX = 7 * 24 * 3_600_000;
  private static final long MIB = 1 << 20;

  /** What fits a heap of 1 GiB. */
  public static final NetLimits DEFAULT =
      new NetLimits(30_000, 64 * MIB, 8_192, 128 * MIB, 128 * MIB, 32 * MIB, 64, 0, 3_600_000, 100);

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
    require(
        connectionAnswerBytesMax >= 32 * MIB,
        "connectionAnswerBytesMax is at least 33554432 (four frames), not "
            + connectionAnswerBytesMax);
    require(httpConnectionsMax >= 1, "httpConnectionsMax is at least 1, not " + httpConnectionsMax);
    require(
        connectionsPerAddressMax >= 0,
        "connectionsPerAddressMax is at least 0, not " + connectionsPerAddressMax);
    require(
        idleMsMax >= IDLE_MS_MIN && idleMsMax <= IDLE_MS_MAX,
        "idleMsMax is 10000 to 604800000 (a week), not " + idleMsMax);
    require(
        principalMetricsMax >= 0 && principalMetricsMax <= PRINCIPAL_METRICS_MAX,
        "principalMetricsMax is 0 to 10000, not " + principalMetricsMax);
  }

  /**
   * These of a server that accepts so many connections: one address has a quarter of them, and at
   * least one, unless another number was chosen.
   */
  NetLimits boundBy(int connectionsMax) {
    int ofAddressMax =
        connectionsPerAddressMax == 0 ? Math.max(1, connectionsMax / 4) : connectionsPerAddressMax;
    return new NetLimits(
        frameMsMax,
        partialBytesMax,
        requestsMax,
        requestBytesMax,
        answerBytesMax,
        connectionAnswerBytesMax,
        httpConnectionsMax,
        ofAddressMax,
        idleMsMax,
        principalMetricsMax);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("net.limits." + message);
    }
  }
}
