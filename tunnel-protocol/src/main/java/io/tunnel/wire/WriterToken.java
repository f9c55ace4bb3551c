package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.WriterNumber;
import io.tunnel.codec.WrittenRows;
import io.tunnel.model.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The id of a writer: {@code u64} microseconds since 1970, the date by the clock of a server, then
 * 16 bytes that the writer has drawn. A log has the {@linkplain #writer writer} instead: the date,
 * a hash of the principal, and a hash of the drawn bytes and the principal. So a reader of the log
 * cannot write in the name of a writer, and a token is worth nothing to another principal. The
 * hashes do not cover the date: a client that changes the date of its token stays the same writer.
 *
 * @param bytes the token
 */
public record WriterToken(Bytes bytes) {

  /** Bytes that the writer draws. */
  public static final int SECRET_BYTES = WriterNumber.TOKEN_BYTES - Long.BYTES;

  /** Refuses a token of another length. */
  public WriterToken {
    if (bytes.length() != WriterNumber.TOKEN_BYTES) {
      throw new MalformedException("a writer's token of " + bytes.length() + " bytes");
    }
  }

  /** The date, in microseconds since 1970. */
  public long dateMicros() {
    return Binary.getLong(bytes.toByteArray(), 0);
  }

  /** The token of the same writer under another date. */
  public WriterToken dated(long epochMicros) {
    return of(epochMicros, Bytes.copyOf(bytes.toByteArray(), Long.BYTES, SECRET_BYTES));
  }

  /** The token of a writer at a time. */
  public static WriterToken of(long epochMicros, Bytes secret) {
    if (secret.length() != SECRET_BYTES) {
      throw new IllegalArgumentException("a secret of " + secret.length() + " bytes");
    }
    ByteSink sink = new ByteSink(WriterNumber.TOKEN_BYTES);
    sink.writeLong(epochMicros);
    sink.write(secret);
    return new WriterToken(Bytes.copyOf(sink.array(), 0, sink.size()));
  }

  /** Reads the answer to {@link Operation#OPEN_WRITER}. */
  public static WriterToken decode(byte[] payload) {
    return new WriterToken(Bytes.copyOf(payload));
  }

  /**
   * A request for a token.
   *
   * @param tableId the table that the writer writes to
   * @param secret {@value #SECRET_BYTES} bytes that the writer has drawn
   */
  public record Request(int tableId, Bytes secret) {

    private static final int BYTES = Integer.BYTES + SECRET_BYTES;

    /** Reads a payload. */
    public static Request decode(byte[] payload) {
      if (payload.length != BYTES) {
        throw new MalformedException(
            "a request for a writer's id of " + payload.length + " bytes, not " + BYTES);
      }
      return new Request(
          Binary.getInt(payload, 0), Bytes.copyOf(payload, Integer.BYTES, SECRET_BYTES));
    }

    /** The bytes. */
    public byte[] encode() {
      byte[] payload = new byte[BYTES];
      Binary.putInt(payload, 0, tableId);
      secret.copyInto(payload, Integer.BYTES);
      return payload;
    }
  }

  /** The writer that a principal is with this token; the empty text where clients have no names. */
  public Bytes writer(String principal) {
    byte[] token = bytes.toByteArray();
    byte[] name = principal.getBytes(StandardCharsets.UTF_8);
    ByteSink writer = new ByteSink(WrittenRows.WRITER_BYTES);
    writer.write(token, 0, Long.BYTES);
    MessageDigest digest = sha256();
    writer.write(digest.digest(name), 0, Long.BYTES);
    digest.update(token, Long.BYTES, SECRET_BYTES);
    digest.update(name);
    writer.write(digest.digest(), 0, Long.BYTES);
    return Bytes.copyOf(writer.array(), 0, writer.size());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
