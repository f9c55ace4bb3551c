package io.tunnel.sdk.transport;

import io.tunnel.model.value.Bytes;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * The outside world of a client. The client itself starts no thread, opens no socket, and reads no
 * clock and no random number elsewhere, so a simulation can take the place of the world.
 *
 * @param name the client's name in the logs of servers
 * @param place the event loop of the client, which makes its connections
 * @param ticker clock
 * @param chance random numbers that nobody can predict, for secrets and jitter; for any thread
 */
public record ClientPort(
    String name, EventLoops.Place place, Ticker ticker, RandomGenerator chance) {

  private static final int USER_CHARS_MAX = 32;

  /** The name of the clients of this process. */
  private static final String OF_PROCESS = name(System.getProperty("user.name", "?"));

  /** Refuses null. */
  public ClientPort {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(place, "place");
    Objects.requireNonNull(ticker, "ticker");
    Objects.requireNonNull(chance, "chance");
  }

  /** The real world, with a place on the event loops of all clients. */
  public static ClientPort real() {
    return of(EventLoops.OF_CLIENTS.place(), new SystemClock());
  }

  /** The real world, with a given place and clock. */
  public static ClientPort of(EventLoops.Place place, Ticker ticker) {
    return new ClientPort(OF_PROCESS, place, ticker, SystemClock.chance());
  }

  private static String name(String user) {
    String shown = user.substring(0, Math.min(USER_CHARS_MAX, user.length()));
    return "tunnel-sdk-java of " + shown + ", process " + ProcessHandle.current().pid();
  }

  /** Random bytes that nobody can predict, and that never repeat. */
  public Bytes secret(int bytes) {
    byte[] secret = new byte[bytes];
    chance.nextBytes(secret);
    return Bytes.copyOf(secret);
  }

  /** An id that no two requests share, of any clients. */
  String newRequestId() {
    return new UUID(chance.nextLong(), chance.nextLong()).toString();
  }
}
