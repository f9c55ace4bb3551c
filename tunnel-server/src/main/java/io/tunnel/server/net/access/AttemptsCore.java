package io.tunnel.server.net.access;

import io.tunnel.model.value.Bytes;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Failed authentications of each address, whose answers come later and later: {@value
 * #FIRST_DELAY_NANOS} ns after the first, twice that after each further one, and at most {@value
 * #DELAY_NANOS_MAX} ns. An address is forgotten when it has not failed for {@value #QUIET_NANOS}
 * ns, or when it is the one that has not failed for longest of more than {@value #ADDRESSES_MAX}.
 *
 * <p>Addresses of IPv6 count by their first 64 bits, because whoever has one has all of these; one
 * that stands for an IPv4 address counts as that. For one thread, or behind the lock of those who
 * share it.
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

  /** What an IPv6 address begins with that stands for an IPv4 one. */
  private static final Bytes MAPPED = Bytes.fromHex("00000000000000000000ffff");

  /** From the one that has not failed for longest. */
  private final Map<Bytes, Failures> failuresByNetwork = new LinkedHashMap<>();

  private record Failures(int count, long lastNanos) {
    long delayNanos() {
      // Bounded before it is shifted: the sixth doubling is beyond the longest delay already.
      return Math.min(FIRST_DELAY_NANOS << Math.min(count - 1, 6), DELAY_NANOS_MAX);
    }
  }

  /**
   * An authentication has failed.
   *
   * @param address 4 or 16 bytes
   * @return for how many nanoseconds its answer waits
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
   * The delay that the last failure of the address had, in nanoseconds; 0 when none is remembered.
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
   * Whose failures are counted together.
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
