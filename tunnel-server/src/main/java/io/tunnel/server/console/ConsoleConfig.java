package io.tunnel.server.console;

/**
 * The console.
 *
 * @param isOn whether the HTTP port serves the console beside health and metrics
 * @param connectionsMax connections of browsers on other machines, half of them from one network,
 *     and as many of this machine; a further one is refused
 */
public record ConsoleConfig(boolean isOn, int connectionsMax) {

  /** A console for 128 connections. */
  public static final ConsoleConfig DEFAULT = new ConsoleConfig(true, 128);

  private static final int CONNECTIONS_MAX = 10_000;

  /** Refuses counts that cannot work. */
  public ConsoleConfig {
    if (connectionsMax < 2 || connectionsMax > CONNECTIONS_MAX) {
      throw new IllegalArgumentException(
          "console.connectionsMax is 2 to " + CONNECTIONS_MAX + ", not " + connectionsMax);
    }
  }
}
