package io.tunnel.server.net.access;

import io.tunnel.model.value.Bytes;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts failed authentications by address, and delays their answers: {@value #FIRST_DELAY_NANOS}
 * ns after the first failure, doubled after each further one, and at most {@value #DELAY_NANOS_MAX}
 * ns. An address is forgotten {@value #QUIET_NANOS} ns after its last failure, or earlier when more
 * than {@value #ADDRESSES_MAX} addresses have failed since.
 *
 * <p>IPv6 addresses count by their first 64 bits, because a client with one address of such a
 * network has all; a mapped IPv4 address counts as IPv4. Not thread-safe.
 */
final class AttemptsCore {

  /** Addresses that are remembered. */
  public static final int ADDRESSES_MAX = 10_000;

  /** The delay of the first failure's answer. */
  public static final long FIRST_DELAY_NANOS = 100_000_000;

  /** The longest delay. */
  public static final long DELAY_NANOS_MAX = 5_000_000_000L;

  /** An address that has been quiet for so long is forgotten. */
  public static final long QUIET_NANOS = 600_000_000_000L;

  /** Bytes of an address of IPv4. */
  static final int IPV4_BYTES = 4;

  private static final int IPV6_BYTES = 16;
  private static final int IPV6_NETWORK_BYTES = 8;

  /** The prefix of IPv4 addresses that are mapped into IPv6. */
  private static final Bytes MAPPED = Bytes.fromHex("00000000000000000000ffff");

  /** In the order of their last failures, oldest first. */
  private final Map<Bytes, Failures> failuresByNetwork = new LinkedHashMap<>();

  private record Failures(int count, long lastNanos) {
    long delayNanos() {
      // Bounded before it is shifted: the sixth doubling is beyond the longest delay already.
      return Math.min(FIRST_DELAY_NANOS << Math.min(count - 1, 6), DELAY_NANOS_MAX);
    }
  }

  /**
   * Counts a failed authentication.
   *
   * @param address 4 or 16 bytes
   * @return nanoseconds by which to delay its answer
   */
  public long failed(Bytes address, long nowNanos) {
    forgetQuiet(nowNanos);
    Bytes network = network(address);
    Failures before = failuresByNetwork.remove(network);
    int count = before == null ? 1 : Math.min(before.count() + 1, Integer.MAX_VALUE - 1);
    Failures failures = new Failures(count, nowNanos);
    failuresByNetwork.put(network, failures);
    if (failuresByNetwork.size() > ADDRESSES_MAX) {
      failuresByNetwork.remove(failuresByNetwork.keySet().iterator().next());
    }
    return failures.delayNanos();
  }

  /**
   * The delay of the address's last failure, in nanoseconds; 0 without a remembered failure.
   *
   * @param address 4 or 16 bytes
   */
  public long delayNanos(Bytes address, long nowNanos) {
    forgetQuiet(nowNanos);
    Failures failures = failuresByNetwork.get(network(address));
    return failures == null ? 0 : failures.delayNanos();
  }

  /** Addresses that are remembered now. */
  public int size() {
    return failuresByNetwork.size();
  }

  private void forgetQuiet(long nowNanos) {
    Iterator<Failures> oldest = failuresByNetwork.values().iterator();
    while (oldest.hasNext() && nowNanos - oldest.next().lastNanos() >= QUIET_NANOS) {
      oldest.remove();
    }
  }

  /**
   * The network whose failures are counted together.
   *
   * @param address 4 or 16 bytes
   */
  static Bytes network(Bytes address) {
    byte[] bytes = address.toByteArray();
    if (bytes.length == IPV4_BYTES) {
      return address;
    }
    if (bytes.length != IPV6_BYTES) {
      throw new IllegalArgumentException("an address has 4 or 16 bytes, not " + bytes.length);
    }
    return MAPPED.compareTo(bytes, 0, MAPPED.length()) == 0
        ? Bytes.copyOf(bytes, MAPPED.length(), IPV4_BYTES)
        : Bytes.copyOf(bytes, 0, IPV6_NETWORK_BYTES);
  }
}
