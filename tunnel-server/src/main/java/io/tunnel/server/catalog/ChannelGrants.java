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
 * an epoch: a code over these with a key that the nodes of a cluster have from their catalog. Who
 * does not know the key can make none up, and none says anything of another channel or epoch.
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
  private static final byte[] NOTHING = new byte[0];

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
   * The grant of a channel under an epoch; nothing where there is no key.
   *
   * @param tunnel whose channel it is; said in the grant when there is a holder
   */
  public Optional<Bytes> of(Granted granted, String tunnel) {
    byte[] named = granted.holder().isEmpty() ? NOTHING : tunnel.getBytes(StandardCharsets.UTF_8);
    return key.map(secret -> grant(secret, granted, named));
  }

  /** Whether {@code grant} is of what it is said to be for; false where there is no key. */
  public boolean isOf(Granted granted, Bytes grant) {
    byte[] said = grant.toByteArray();
    byte[] named = named(said);
    return key.map(
            secret -> MessageDigest.isEqual(grant(secret, granted, named).toByteArray(), said))
        .orElse(false);
  }

  /** The tunnel that a grant says it is for, which is so if {@link #isOf} says so. */
  public static Optional<String> tunnelOf(Bytes grant) {
    byte[] named = named(grant.toByteArray());
    return named.length == 0
        ? Optional.empty()
        : Optional.of(new String(named, StandardCharsets.UTF_8));
  }

  private static byte[] named(byte[] grant) {
    return grant.length <= CODE_BYTES
        ? NOTHING
        : Arrays.copyOfRange(grant, CODE_BYTES, grant.length);
  }

  /** Whether there is a key. */
  public boolean areGiven() {
    return key.isPresent();
  }

  /** The code, and behind it the tunnel's name if it is named. */
  private static Bytes grant(Bytes secret, Granted granted, byte[] named) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.toByteArray(), ALGORITHM));
      ByteBuffer numbers = ByteBuffer.allocate(Integer.BYTES + Long.BYTES);
      mac.update(numbers.putInt(granted.partition()).putLong(granted.epoch()).array());
      mac.update(granted.channelId().getBytes(StandardCharsets.UTF_8));
      if (!granted.holder().isEmpty()) {
        // Without a holder the code is that of earlier versions.
        mac.update((byte) 0);
        mac.update(granted.holder().getBytes(StandardCharsets.UTF_8));
        mac.update((byte) 0);
        mac.update(named);
      }
      byte[] grant = Arrays.copyOf(mac.doFinal(), CODE_BYTES + named.length);
      System.arraycopy(named, 0, grant, CODE_BYTES, named.length);
      return Bytes.copyOf(grant);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }
}
