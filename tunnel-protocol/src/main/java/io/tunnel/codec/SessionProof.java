package io.tunnel.codec;

import io.tunnel.model.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

/**
 * A row session, and what proves that a client has it. The value of attribute {@link
 * FormatFeature#SESSION} of a batch: {@code u64} id, {@code u128} secret. Rows of a log have the id
 * alone, so a reader of the log cannot write in the name of a session.
 *
 * @param session the id, at least 1
 * @param secret {@value #SECRET_BYTES} bytes that the client has drawn
 */
public record SessionProof(long session, Bytes secret) {

  /** Bytes that the client draws. */
  public static final int SECRET_BYTES = 16;

  private static final int BYTES = Long.BYTES + SECRET_BYTES;

  /** Bytes that the attribute adds to the list of a batch. */
  public static final int ATTRIBUTE_BYTES = 2 + BYTES;

  /** Refuses an id that no session has, and a secret of another length. */
  public SessionProof {
    if (session < 1) {
      throw new MalformedException("a session with the id " + session);
    }
    requireSecret(secret);
  }

  private static void requireSecret(Bytes secret) {
    if (secret.length() != SECRET_BYTES) {
      throw new MalformedException(
          "the secret of a session has " + secret.length() + " bytes, not " + SECRET_BYTES);
    }
  }

  /** Adds the attribute to the checked list of a batch. */
  public Bytes addTo(Bytes list) {
    ByteSink value = new ByteSink(BYTES);
    value.writeLong(session);
    value.write(secret);
    return Attributes.with(
        FormatFeature.SESSION.number(), Bytes.copyOf(value.array(), 0, value.size()), list);
  }

  /** Adds to the checked list of a row that the row is bound to a session. */
  public static Bytes addToRow(long session, Bytes list) {
    return Attributes.with(FormatFeature.BOUND.number(), encode(session), list);
  }

  /** The value of the attribute {@link FormatFeature#BOUND} of a row of a session. */
  public static Bytes encode(long session) {
    byte[] value = new byte[Long.BYTES];
    Binary.putLong(value, 0, session);
    return Bytes.copyOf(value);
  }

  /** Reads {@link #encode}. */
  public static long session(Bytes encoded) {
    if (encoded.length() != Long.BYTES) {
      throw new MalformedException("a row of a session of " + encoded.length() + " bytes");
    }
    return Binary.getLong(encoded.toByteArray(), 0);
  }

  /**
   * What a batch says of its session; empty for a batch that binds no rows.
   *
   * @throws MalformedException when the attribute is none
   */
  public static Optional<SessionProof> of(ChangeBatch batch) {
    return batch.attribute(FormatFeature.SESSION).map(SessionProof::decode);
  }

  /** The batch without what it says of its session, as a log has it. */
  public static ChangeBatch without(ChangeBatch batch) {
    byte[] array =
        BatchBuilder.withAttributes(
            batch, Attributes.without(FormatFeature.SESSION.number(), batch.attributes()));
    return ChangeBatch.parse(array, 0, array.length);
  }

  private static SessionProof decode(Bytes value) {
    if (value.length() != BYTES) {
      throw new MalformedException("attribute session of a batch of " + value.length() + " bytes");
    }
    byte[] array = value.toByteArray();
    return new SessionProof(
        Binary.getLong(array, 0), Bytes.copyOf(array, Long.BYTES, SECRET_BYTES));
  }

  /**
   * What a server stores of a secret: a hash of secret and principal. So a secret is worth nothing
   * to another principal, or to a reader of the catalog.
   *
   * @param principal the empty text where clients have no names
   * @throws MalformedException for a secret of another length
   */
  public static Bytes hash(Bytes secret, String principal) {
    requireSecret(secret);
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(secret.toByteArray());
      digest.update(principal.getBytes(StandardCharsets.UTF_8));
      return Bytes.copyOf(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
