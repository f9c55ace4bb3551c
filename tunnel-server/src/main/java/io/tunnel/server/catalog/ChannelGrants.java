package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.control.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What proves to the node that delivers a channel that a session, on whatever node, holds it under
 * an epoch, and on which {@link Terms}: a code over these, with a key that the nodes of a cluster
 * have from their catalog, and the terms behind the code. Who does not know the key can make none
 * up, and none says anything of another channel or epoch.
 *
 * <p>The key is a text of the catalog, {@code grants}. A catalog that was last led by an older
 * version has none; then there are no grants, and nobody is asked for one. Read by any thread.
 */
public final class ChannelGrants {

  /** Bytes of a key. */
  public static final int KEY_BYTES = 32;

  private static final String NAME = "grants";
  private static final String ALGORITHM = "HmacSHA256";
  private static final int CODE_BYTES = 16;

  /** Of the terms. A node refuses terms of another form, since it could leave something out. */
  private static final byte FORM = 1;

  /** Bytes of terms without the tunnel's name. */
  private static final int FIXED_BYTES = 1 + 5 * Long.BYTES;

  /** Stands for an end that there is not. */
  private static final long NONE = Long.MIN_VALUE;

  private volatile Optional<Bytes> key = Optional.empty();

  private record Stored(Bytes key) {}

  /** Without a key yet. */
  ChannelGrants() {}

  /** Those of a key that a server which is alone has drawn: nobody else has to know it. */
  public static ChannelGrants of(Bytes key) {
    ChannelGrants grants = new ChannelGrants();
    grants.key = Optional.of(key);
    return grants;
  }

  /** What has to be written for a catalog to have that key. */
  static Map<String, Optional<String>> noting(Bytes newKey) {
    return Map.of(NAME, Optional.of(Json.toText(new Stored(newKey))));
  }

  /** Whether {@code texts} have a key. */
  static boolean isIn(Map<String, String> texts) {
    return texts.containsKey(NAME);
  }

  /** Takes over texts that are stored; those of others are left alone. */
  void apply(Map<String, Optional<String>> changes) {
    Optional<String> text = changes.getOrDefault(NAME, Optional.empty());
    text.ifPresent(stored -> key = Optional.of(Json.ofText(stored, Stored.class).key()));
  }

  /**
   * What a grant is made for.
   *
   * @param holder the principal whose session holds the channel; empty where nobody is asked who
   *     they are
   */
  public record Granted(String channelId, int partition, long epoch, String holder) {}

  /**
   * What a grant lets its holder attach to, and until when.
   *
   * @param tunnel whose channel it is
   * @param start delivery starts behind this position, or a later one
   * @param end the position behind which the channel ends, if that is known
   * @param endMs while the end is not known: nothing that was committed at or after this moment, in
   *     milliseconds since 1970
   * @param untilMs when it ends by the clock of the server that made it, in milliseconds since 1970
   * @param lifeMs how long an attachment may last by it at most
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
          .put(named)
          .array();
    }

    /** Nothing when this version does not understand all of it. */
    private static Optional<Terms> decode(byte[] grant) {
      if (grant.length < CODE_BYTES + FIXED_BYTES || grant[CODE_BYTES] != FORM) {
        return Optional.empty();
      }
      ByteBuffer from = ByteBuffer.wrap(grant, CODE_BYTES + 1, grant.length - CODE_BYTES - 1);
      long start = from.getLong();
      Optional<Long> end = Optional.of(from.getLong()).filter(said -> said != NONE);
      Optional<Long> endMs = Optional.of(from.getLong()).filter(said -> said != NONE);
      long untilMs = from.getLong();
      long lifeMs = from.getLong();
      String tunnel = StandardCharsets.UTF_8.decode(from).toString();
      return Optional.of(new Terms(tunnel, start, end, endMs, untilMs, lifeMs));
    }
  }

  /** The grant of a channel under an epoch; nothing where there is no key. */
  public Optional<Bytes> of(Granted granted, Terms terms) {
    byte[] said = terms.encode();
    return key.map(
        secret -> {
          byte[] grant = Arrays.copyOf(code(secret, granted, said), CODE_BYTES + said.length);
          System.arraycopy(said, 0, grant, CODE_BYTES, said.length);
          return Bytes.copyOf(grant);
        });
  }

  /** The terms of a grant; empty without a key, or when the code does not match. */
  public Optional<Terms> verified(Granted granted, Bytes grant) {
    byte[] said = grant.toByteArray();
    if (said.length < CODE_BYTES) {
      return Optional.empty();
    }
    byte[] terms = Arrays.copyOfRange(said, CODE_BYTES, said.length);
    byte[] code = Arrays.copyOf(said, CODE_BYTES);
    return key.filter(secret -> MessageDigest.isEqual(code(secret, granted, terms), code))
        .flatMap(secret -> Terms.decode(said));
  }

  /** The tunnel that a grant says it is for, which is so if the grant is {@link #verified}. */
  public static Optional<String> tunnelOf(Bytes grant) {
    return Terms.decode(grant.toByteArray()).map(Terms::tunnel);
  }

  /** Whether there is a key. */
  public boolean areGiven() {
    return key.isPresent();
  }

  private static byte[] code(Bytes secret, Granted granted, byte[] terms) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.toByteArray(), ALGORITHM));
      ByteBuffer numbers = ByteBuffer.allocate(Integer.BYTES + Long.BYTES);
      mac.update(numbers.putInt(granted.partition()).putLong(granted.epoch()).array());
      text(mac, granted.channelId());
      text(mac, granted.holder());
      mac.update(terms);
      return Arrays.copyOf(mac.doFinal(), CODE_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /** With the length in front, so that two different pairs of texts never give equal bytes. */
  private static void text(Mac mac, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
    mac.update(bytes);
  }
}
