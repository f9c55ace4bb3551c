package io.tunnel.programs.torture.hostile;

import java.util.OptionalInt;

/**
 * Where the attacked server listens: always on loopback, never on another machine.
 *
 * @param port of the tunnel protocol
 * @param httpPort of {@code /health} and {@code /metrics}, if it is known
 * @param isTls whether both ports speak TLS
 */
public record Target(int port, OptionalInt httpPort, boolean isTls) {}
