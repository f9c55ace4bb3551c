package io.tunnel.server.net;

/**
 * Limits of the memory and time that clients may take, together and each.
 *
 * @param frameMsMax how long a frame may take from its first byte to its last, while the server
 *     reads from its connection
 * @param partialBytesMax memory of incomplete frames of all connections; beyond it the server
 *     closes the connection whose frame began first
 * @param requestsMax requests of one connection that are served at the same time; the connection is
 *     not read from meanwhile
 * @param requestBytesMax memory of all unanswered requests; beyond it a connection has one small
 *     request served at a time, and larger requests are refused as BUSY; half as much again is for
 *     small requests that wait behind others of their connections
 * @param answerBytesMax bytes of answers and deliveries that clients have not read, of all
 *     connections; beyond it the server closes the connection that has read nothing for longest
 * @param connectionAnswerBytesMax bytes of answers and deliveries of one connection that are being
 *     made (at their largest size) or are unread; beyond it no further request is served, and the
 *     connection is closed when small answers alone exceed it
 * @param httpConnectionsMax connections of the HTTP port; one more closes the oldest
 * @param connectionsPerAddressMax connections of one address, of IPv6 one network of 64 bits; one
 *     more closes one of them that has not greeted, or is refused as BUSY; 0 for a quarter of
 *     {@code net.connectionsMax}
 * @param idleMsMax time without requests, sessions and attachments after which a connection is
 *     closed; it may take twice as long
 * @param principalMetricsMax principals with meters of their own; all others share meters
 * @param channelMetricsMax channels whose tunnels have meters of their own; all other tunnels share
 *     meters; 0 for none
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
    int principalMetricsMax,
    int channelMetricsMax) {

  private static final int FRAME_MS_MAX = 3_600_000;
  private static final int PRINCIPAL_METRICS_MAX = 10_000;
  private static final int CHANNEL_METRICS_MAX = 1_000_000;
  private static final int IDLE_MS_MIN = 10_000;
  private static final int IDLE_MS_MAX = 7 * 24 * 3_600_000;
  private static final long MIB = 1 << 20;

  /** The limits for a heap of 1 GiB. */
  public static final NetLimits DEFAULT =
      new NetLimits(
          30_000, 64 * MIB, 8_192, 128 * MIB, 128 * MIB, 32 * MIB, 64, 0, 3_600_000, 100, 10_000);

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
    require(
        channelMetricsMax >= 0 && channelMetricsMax <= CHANNEL_METRICS_MAX,
        "channelMetricsMax is 0 to 1000000, not " + channelMetricsMax);
  }

  /**
   * These limits for a server with {@code connectionsMax} connections: one address gets a quarter,
   * and at least one, unless a number was configured.
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
        principalMetricsMax,
        channelMetricsMax);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("net.limits." + message);
    }
  }
}
