package io.tunnel.server.security;

import io.tunnel.wire.Authentication;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * The statement of a node that it has authenticated a principal, which the node shows to another
 * node to make requests for the principal. The statement is the id of a key, {@code
 * vouch:EXPIRES/NODE/ADDRESS/PRINCIPAL}, and {@link MasterKey#voucherSecret} makes the key's secret
 * from the complete id: only a holder of the master key can prove a voucher, and each change of its
 * text needs a different secret. No access key has such an id, see {@link AccessKey#requireId}.
 *
 * @param principal the principal; its rights are looked up for each request
 * @param address IP address of the principal's client, see {@link #requireAddress}
 * @param node name of the node that vouches, 1 to {@value #NODE_CHARS_MAX} of A-Z a-z 0-9 - _
 * @param expiresMs expiry by the clock of the node that vouches, in milliseconds since 1970
 */
public record Voucher(Principal principal, String address, String node, long expiresMs) {

  /** Milliseconds from the making of a voucher to its expiry. */
  public static final long LIFE_MS = 60_000;

  /** Milliseconds by which the clocks of two nodes may differ. */
  public static final long SKEW_MS = 30_000;

  /** Characters of an address: an IPv6 address in full. */
  public static final int ADDRESS_CHARS_MAX = 45;

  private static final int NODE_CHARS_MAX = 64;
  private static final String PREFIX = "vouch:";
  private static final String SEPARATOR = "/";
  private static final int PARTS = 4;

  /**
   * Refuses invalid parts, and a voucher whose key id exceeds {@value
   * Authentication#NAME_BYTES_MAX} bytes.
   */
  public Voucher {
    Objects.requireNonNull(principal, "principal");
    requireAddress(address);
    boolean isName = !node.isEmpty() && node.length() <= NODE_CHARS_MAX;
    if (!isName || !node.chars().allMatch(Voucher::isOfName)) {
      throw new IllegalArgumentException("not the name of a node: " + Subjects.shown(node));
    }
    if (expiresMs < 0) {
      throw new IllegalArgumentException("a voucher cannot expire at " + expiresMs + " ms");
    }
    int bytes = keyId(principal, address, node, expiresMs).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Authentication.NAME_BYTES_MAX) {
      throw new IllegalArgumentException(
          "the name of principal "
              + Subjects.shown(principal.name())
              + " is too long for a voucher, which has at most "
              + Authentication.NAME_BYTES_MAX
              + " bytes, not "
              + bytes);
    }
  }

  /** Whether a key id is a voucher's, valid or not, and not an access key's. */
  public static boolean isKeyId(String keyId) {
    return keyId.startsWith(PREFIX);
  }

  /** The voucher with this key id; empty unless it is exactly a {@link #keyId()}. */
  public static Optional<Voucher> read(String keyId) {
    String[] parts =
        isKeyId(keyId) ? keyId.substring(PREFIX.length()).split(SEPARATOR, PARTS) : null;
    if (parts == null || parts.length < PARTS) {
      return Optional.empty();
    }
    try {
      Voucher read =
          new Voucher(new Principal(parts[3]), parts[2], parts[1], Long.parseLong(parts[0]));
      return Optional.of(read).filter(one -> one.keyId().equals(keyId));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The id of the key that is this voucher. */
  public String keyId() {
    return keyId(principal, address, node, expiresMs);
  }

  private static String keyId(Principal principal, String address, String node, long expiresMs) {
    return PREFIX + String.join(SEPARATOR, "" + expiresMs, node, address, principal.name());
  }

  /** The time from which no node accepts the voucher, in milliseconds since 1970. */
  public long endsMs() {
    return expiresMs + SKEW_MS;
  }

  /** Whether a node accepts the voucher now; not one of a clock that is too far ahead, either. */
  public boolean isValid(long nowMs) {
    return nowMs < endsMs() && expiresMs - nowMs <= LIFE_MS + SKEW_MS;
  }

  /** The way of the principal's requests, for the audit log. */
  public String origin() {
    return origin(node, address);
  }

  /** The way of the requests of a client of {@code node}, for the audit log. */
  public static String origin(String node, String address) {
    return "via " + node + " from " + address;
  }

  /**
   * Checks an IP address, without a port; looks no name up.
   *
   * @throws IllegalArgumentException unless it has 1 to {@value #ADDRESS_CHARS_MAX} of 0-9 a-f A-F
   *     . :
   */
  public static String requireAddress(String address) {
    boolean isRight = !address.isEmpty() && address.length() <= ADDRESS_CHARS_MAX;
    if (!isRight || !address.chars().allMatch(c -> "0123456789abcdefABCDEF.:".indexOf(c) >= 0)) {
      throw new IllegalArgumentException("not an IP address: " + Subjects.shown(address));
    }
    return address;
  }

  private static boolean isOfName(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_';
  }
}
