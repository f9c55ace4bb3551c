package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * Why a request was refused: {@code u16} code, then the message in UTF-8 up to the end. For {@link
 * ErrorCode#NOT_LEADER}, {@code u16} length and HOST:PORT of the leader precede the message; the
 * length is 0 when the leader is unknown. For {@link ErrorCode#WRITER_ENDED}, {@code u64} date
 * under which the partition takes the writer precedes the message; 0 when the date is unknown.
 *
 * @param leader HOST:PORT of the leader; only with NOT_LEADER
 * @param writerDateMicros the date, in microseconds since 1970; 0 without WRITER_ENDED
 */
public record ErrorPayload(
    ErrorCode code, String message, Optional<String> leader, long writerDateMicros) {

  private static final int MESSAGE_BYTES_MAX = 4_096;
  private static final int LEADER_BYTES_MAX = 512;

  /** Refuses null, and a leader without NOT_LEADER. */
  public ErrorPayload {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(message, "message");
    if (leader.isPresent() && code != ErrorCode.NOT_LEADER) {
      throw new IllegalArgumentException("a leader with code " + code);
    }
    if (writerDateMicros != 0 && code != ErrorCode.WRITER_ENDED) {
      throw new IllegalArgumentException("a writer's date with code " + code);
    }
  }

  /** An error without a leader. */
  public ErrorPayload(ErrorCode code, String message) {
    this(code, message, Optional.empty(), 0);
  }

  /** The payload for a refusal. */
  public static ErrorPayload of(RefusedException refusal) {
    return new ErrorPayload(
        refusal.code(),
        String.valueOf(refusal.getMessage()),
        refusal.leader(),
        refusal.writerDateMicros());
  }

  /** The bytes; messages are cut after {@value #MESSAGE_BYTES_MAX}. */
  public byte[] encode() {
    byte[] text = Utf8.encodeStart(message, MESSAGE_BYTES_MAX);
    ByteSink sink = new ByteSink(2 + Long.BYTES + text.length);
    sink.writeShort(code.code());
    if (code == ErrorCode.NOT_LEADER) {
      byte[] address = Utf8.encodeStart(leader.orElse(""), LEADER_BYTES_MAX);
      sink.writeShort(address.length);
      sink.write(address, 0, address.length);
    } else if (code == ErrorCode.WRITER_ENDED) {
      sink.writeLong(writerDateMicros);
    }
    sink.write(text, 0, text.length);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static ErrorPayload decode(byte[] payload) {
    if (payload.length < 2) {
      throw new MalformedException("an error of " + payload.length + " bytes");
    }
    ErrorCode code = ErrorCode.of(Binary.getShort(payload, 0));
    if (code == ErrorCode.WRITER_ENDED) {
      if (payload.length < 2 + Long.BYTES) {
        throw new MalformedException("a writer's end of " + payload.length + " bytes");
      }
      return new ErrorPayload(
          code,
          text(payload, 2 + Long.BYTES, payload.length),
          Optional.empty(),
          Binary.getLong(payload, 2));
    }
    if (code != ErrorCode.NOT_LEADER) {
      return new ErrorPayload(code, text(payload, 2, payload.length));
    }
    int address = payload.length < 4 ? payload.length : Binary.getShort(payload, 2);
    if (address > payload.length - 4) {
      throw new MalformedException("a leader that does not fit an error of " + payload.length);
    }
    return new ErrorPayload(
        code,
        text(payload, 4 + address, payload.length),
        address == 0 ? Optional.empty() : Optional.of(text(payload, 4, 4 + address)),
        0);
  }

  private static String text(byte[] payload, int from, int to) {
    return new String(Arrays.copyOfRange(payload, from, to), StandardCharsets.UTF_8);
  }

  /** The exception for callers. */
  public RefusedException toException() {
    if (code == ErrorCode.WRITER_ENDED) {
      return RefusedException.writerEnded(message, writerDateMicros);
    }
    return code == ErrorCode.NOT_LEADER
        ? RefusedException.notLeader(message, leader)
        : new RefusedException(code, message);
  }
}
