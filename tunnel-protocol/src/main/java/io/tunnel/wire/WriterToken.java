package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.WriterNumber;
import io.tunnel.codec.WrittenRows;
import io.tunnel.model.value.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The id of a writer: {@code u64} microseconds since 1970, the date by the clock of a server, then
 * 16 bytes that the writer has drawn. What stands in logs instead is the {@linkplain #writer
 * writer}: the date, and a hash of the whole token and of the principal that uses it. So who reads
 * a log cannot write in the name of a writer, and a token is worth nothing to another principal.
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

  /** The token of a writer at a moment. */
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
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] token = bytes.toByteArray();
      digest.update(token);
      digest.update(principal.getBytes(StandardCharsets.UTF_8));
      byte[] writer = Arrays.copyOf(token, WrittenRows.WRITER_BYTES);
      ByteBuffer.wrap(digest.digest()).get(writer, Long.BYTES, writer.length - Long.BYTES);
      return Bytes.copyOf(writer);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
