package io.tunnel.server.catalog;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.control.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes and verifies grants. A grant proves to the node that delivers a channel that a session, on
 * any node, holds the channel under an epoch and on certain {@link Terms}: it is an authentication
 * code over these, followed by the terms. The nodes of a cluster read the key from their catalog.
 * Without the key no one can forge a grant, and a grant is valid for no other channel or epoch.
 *
 * <p>The key is the text {@code grants} of the catalog, which its first leader writes before any
 * table. A node without the key has not read its catalog yet: it makes and verifies no grants. Safe
 * for use by any thread.
 */
public final class ChannelGrants {

  /** Bytes of a key. */
  public static final int KEY_BYTES = 32;

  private static final String NAME = "grants";
  private static final String ALGORITHM = "HmacSHA256";
  private static final int CODE_BYTES = 16;

  /** Fewer bytes than a code of a grant is over: FIXED_BYTES and 20. */
  private static final int PURPOSE_BYTES_MAX = 32;

  /** Form of the encoded terms. A node refuses other forms, because it could miss a condition. */
  private static final byte FORM = 1;

  /** Bytes of terms without the tunnel's name and further terms. */
  private static final int FIXED_BYTES = 1 + 5 * Long.BYTES + Short.BYTES;

  /** Encodes an absent end. */
  private static final long NONE = Long.MIN_VALUE;

  private volatile Optional<Bytes> key = Optional.empty();

  private record Stored(Bytes key) {}

  /** Has no key yet. */
  ChannelGrants() {}

  /** For a server without a cluster, with a random key that no other server needs. */
  public static ChannelGrants of(Bytes key) {
    ChannelGrants grants = new ChannelGrants();
    grants.key = Optional.of(key);
    return grants;
  }

  /** The change that gives a catalog the key {@code newKey}. */
  static Map<String, Optional<String>> noting(Bytes newKey) {
    return Map.of(NAME, Optional.of(Json.toText(new Stored(newKey))));
  }

  /** Applies stored changes; ignores texts under other names. */
  void apply(Map<String, Optional<String>> changes) {
    Optional<String> text = changes.getOrDefault(NAME, Optional.empty());
    text.ifPresent(stored -> key = Optional.of(Json.ofText(stored, Stored.class).key()));
  }

  /**
   * The holding that a grant proves.
   *
   * @param holder the principal whose session holds the channel; empty where clients do not
   *     authenticate
   */
  public record Granted(String channelId, int partition, long epoch, String holder) {}

  /**
   * The terms on which the holder of a grant may attach to a channel.
   *
   * @param tunnel the tunnel of the channel
   * @param start delivery starts after this position or a later one
   * @param end the position after which the channel ends, if known
   * @param endMs while the end is unknown: deliver no change committed at or after this time, in
   *     milliseconds since 1970
   * @param untilMs expiry by the clock of the server that made the grant, in milliseconds since
   *     1970
   * @param lifeMs longest attachment under the grant, in milliseconds
   */
  public record Terms(
      String tunnel,
      long start,
      Optional<Long> end,
      Optional<Long> endMs,
      long untilMs,
      long lifeMs) {

    private byte[] encode() {
      byte[] named = tunnel.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(FIXED_BYTES + named.length)
          .put(FORM)
          .putLong(start)
          .putLong(end.orElse(NONE))
          .putLong(endMs.orElse(NONE))
          .putLong(untilMs)
          .putLong(lifeMs)
          .putShort((short) named.length)
          .put(named)
          .array();
    }

    /**
     * The terms of a grant. Further terms stand after the tunnel's name as {@link Attributes}. A
     * term limits what the holder may do, so each must be known.
     *
     * @throws MalformedException when the bytes are no terms
     * @param enabled refuses a feature that the level in force does not enable
     * @throws NewerFormatException for terms that this build does not know
     */
    private static Terms decode(byte[] grant, Consumer<FormatFeature> enabled) {
      if (grant.length > CODE_BYTES && grant[CODE_BYTES] != FORM) {
        throw new NewerFormatException("a grant of form " + (grant[CODE_BYTES] & 0xff));
      }
      if (grant.length < CODE_BYTES + FIXED_BYTES) {
        throw new MalformedException("a grant of " + grant.length + " bytes");
      }
      ByteBuffer from = ByteBuffer.wrap(grant, CODE_BYTES + 1, grant.length - CODE_BYTES - 1);
      long start = from.getLong();
      Optional<Long> end = Optional.of(from.getLong()).filter(said -> said != NONE);
      Optional<Long> endMs = Optional.of(from.getLong()).filter(said -> said != NONE);
      long untilMs = from.getLong();
      long lifeMs = from.getLong();
      int nameBytes = Short.toUnsignedInt(from.getShort());
      if (nameBytes > from.remaining()) {
        throw new MalformedException(
            "a grant whose tunnel's name of " + nameBytes + " bytes is cut off");
      }
      String tunnel =
          StandardCharsets.UTF_8.decode(from.slice(from.position(), nameBytes)).toString();
      Attributes.requireKnown(Place.GRANT, grant, from.position() + nameBytes, grant.length)
          .ifPresent(enabled);
      return new Terms(tunnel, start, end, endMs, untilMs, lifeMs);
    }
  }

  /**
   * A key for another purpose, made from the cluster's key. No grant has the code that this key is:
   * the bytes under the code of a grant are longer than every purpose.
   *
   * @param purpose at most 32 characters of ASCII
   * @return empty until the node has read the catalog
   */
  Optional<Bytes> derived(String purpose) {
    byte[] text = purpose.getBytes(StandardCharsets.US_ASCII);
    if (text.length > PURPOSE_BYTES_MAX) {
      throw new IllegalArgumentException("too long a purpose: " + purpose);
    }
    return key.map(
        secret -> {
          Mac mac = mac(secret);
          mac.update(text);
          return Bytes.copyOf(mac.doFinal());
        });
  }

  /** An authentication code under {@code secret}, without bytes yet. */
  static Mac mac(Bytes secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.toByteArray(), ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /**
   * The grant of a channel under an epoch.
   *
   * @throws IllegalStateException without a key: a channel is known only with the catalog
   */
  public Bytes of(Granted granted, Terms terms) {
    byte[] said = terms.encode();
    Bytes secret = key.orElseThrow(() -> new IllegalStateException("the catalog is not read yet"));
    byte[] grant = Arrays.copyOf(code(secret, granted, said), CODE_BYTES + said.length);
    System.arraycopy(said, 0, grant, CODE_BYTES, said.length);
    return Bytes.copyOf(grant);
  }

  /**
   * The terms of a grant; empty when the code does not match.
   *
   * @param enabled refuses a feature that the level in force does not enable, by a {@link
   *     RefusedException}
   * @throws RefusedException {@code BUSY} without a key; {@code FEATURE_NOT_ENABLED} when the code
   *     matches and the grant has terms that this build does not know, or the level does not
   *     enable: the server would deliver more than was granted; {@code INVALID_REQUEST} when they
   *     are of an unknown form, or no terms
   */
  public Optional<Terms> verified(Granted granted, Bytes grant, Consumer<FormatFeature> enabled) {
    Bytes secret =
        key.orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.BUSY,
                    "this node has not read its catalog, and cannot verify grants yet; attach"
                        + " again later"));
    byte[] said = grant.toByteArray();
    if (said.length < CODE_BYTES) {
      return Optional.empty();
    }
    byte[] terms = Arrays.copyOfRange(said, CODE_BYTES, said.length);
    byte[] code = Arrays.copyOf(said, CODE_BYTES);
    if (!MessageDigest.isEqual(code(secret, granted, terms), code)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Terms.decode(said, enabled));
    } catch (NewerFormatException e) {
      e.feature().ifPresent(enabled);
      throw new RefusedException(e.code(), e.getMessage());
    } catch (MalformedException e) {
      throw new RefusedException(ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  /** Verifies the grants of clients, as {@link #verified} does, by the level in force. */
  @FunctionalInterface
  public interface Verifier {

    /** The terms of a grant; empty when the code does not match. */
    Optional<Terms> verified(Granted granted, Bytes grant);
  }

  /** The tunnel that a grant names; true only if the grant is {@link #verified}. */
  public static Optional<String> tunnelOf(Bytes grant) {
    try {
      return Optional.of(Terms.decode(grant.toByteArray(), unjudged -> {}).tunnel());
    } catch (MalformedException e) {
      return Optional.empty();
    }
  }

  private static byte[] code(Bytes secret, Granted granted, byte[] terms) {
    Mac mac = mac(secret);
    ByteBuffer numbers = ByteBuffer.allocate(Integer.BYTES + Long.BYTES);
    mac.update(numbers.putInt(granted.partition()).putLong(granted.epoch()).array());
    text(mac, granted.channelId());
    text(mac, granted.holder());
    mac.update(terms);
    return Arrays.copyOf(mac.doFinal(), CODE_BYTES);
  }

  /** Feeds the length first, so that two different pairs of texts never give equal bytes. */
  private static void text(Mac mac, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
    mac.update(bytes);
  }
}
