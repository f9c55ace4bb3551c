package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs terms as a newer build would. */
public final class NewerGrants {

  private NewerGrants() {}

  /** A grant with these terms, whatever they say, under a right code. */
  public static Bytes of(Bytes key, Granted granted, Bytes terms) {
    byte[] said = terms.toByteArray();
    byte[] code = code(key, granted, said);
    return Bytes.copyOf(ByteBuffer.allocate(16 + said.length).put(code, 0, 16).put(said).array());
  }

  /** The same grant with further terms behind its own. */
  public static Bytes with(Bytes key, Granted granted, Bytes grant, Bytes further) {
    byte[] terms = grant.toByteArray();
    ByteBuffer all = ByteBuffer.allocate(terms.length - 16 + further.length());
    all.put(terms, 16, terms.length - 16).put(further.toByteArray());
    return of(key, granted, Bytes.copyOf(all.array()));
  }

  private static byte[] code(Bytes key, Granted granted, byte[] terms) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.toByteArray(), "HmacSHA256"));
      mac.update(
          ByteBuffer.allocate(12).putInt(granted.partition()).putLong(granted.epoch()).array());
      text(mac, granted.channelId());
      text(mac, granted.holder());
      mac.update(terms);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void text(Mac mac, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    mac.update(ByteBuffer.allocate(4).putInt(bytes.length).array());
    mac.update(bytes);
  }
}
