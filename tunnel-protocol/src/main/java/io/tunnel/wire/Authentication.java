package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.value.Bytes;
import java.util.Objects;

/**
 * The payloads of {@link Operation#AUTHENTICATE}, in this order: the client names its key, the
 * server sends a challenge, the client proves that it knows the key's secret, and the server
 * accepts with a proof of its own. Each payload starts with {@code u8} step: 1 for {@link Begin}
 * and {@link Challenge}, 2 for {@link Prove} and {@link Accepted}. The secret itself is never sent.
 */
public sealed interface Authentication {

  /** Bytes of a nonce; each attempt has a new nonce. */
  int NONCE_BYTES = 32;

  /** Bytes of a proof. */
  int PROOF_BYTES = 32;

  /** The most bytes of a key's id, and of its principal's name. */
  int NAME_BYTES_MAX = 255;

  /** The bytes. */
  byte[] encode();

  /** A payload from the client. */
  sealed interface Request extends Authentication {

    /** Reads a payload from the client. */
    static Request decode(byte[] payload) {
      PayloadReader reader = new PayloadReader("request to authenticate", payload);
      int step = reader.readByte();
      Request request =
          switch (step) {
            case 1 -> new Begin(name(reader), reader.readBytes(NONCE_BYTES));
            case 2 -> new Prove(reader.readBytes(PROOF_BYTES));
            default -> throw unknown(step);
          };
      reader.requireEnd();
      return request;
    }
  }

  /** A payload from the server. */
  sealed interface Answer extends Authentication {

    /** Reads a payload from the server. */
    static Answer decode(byte[] payload) {
      PayloadReader reader = new PayloadReader("answer to authenticate", payload);
      int step = reader.readByte();
      Answer answer =
          switch (step) {
            case 1 -> new Challenge(reader.readBytes(NONCE_BYTES));
            case 2 -> new Accepted(reader.readBytes(PROOF_BYTES), name(reader));
            default -> throw unknown(step);
          };
      reader.requireEnd();
      return answer;
    }
  }

  /**
   * {@code u8} 1, sized key id in UTF-8, nonce.
   *
   * @param keyId the id of the key, 1 to {@value #NAME_BYTES_MAX} bytes
   * @param nonce the client's nonce
   */
  record Begin(String keyId, Bytes nonce) implements Request {

    /** Refuses null and wrong lengths. */
    public Begin {
      requireName(keyId);
      requireLength("nonce", nonce, NONCE_BYTES);
    }

    @Override
    public byte[] encode() {
      ByteSink sink = new ByteSink(2 + keyId.length() + NONCE_BYTES);
      sink.writeByte(1);
      writeName(sink, keyId);
      sink.write(nonce);
      return sink.toByteArray();
    }
  }

  /**
   * {@code u8} 1, nonce.
   *
   * @param nonce the server's nonce
   */
  record Challenge(Bytes nonce) implements Answer {

    /** Refuses null and wrong lengths. */
    public Challenge {
      requireLength("nonce", nonce, NONCE_BYTES);
    }

    @Override
    public byte[] encode() {
      ByteSink sink = new ByteSink(1 + NONCE_BYTES);
      sink.writeByte(1);
      sink.write(nonce);
      return sink.toByteArray();
    }
  }

  /**
   * {@code u8} 2, proof.
   *
   * @param proof the result of {@link AuthenticationProof#ofClient}
   */
  record Prove(Bytes proof) implements Request {

    /** Refuses null and wrong lengths. */
    public Prove {
      requireLength("proof", proof, PROOF_BYTES);
    }

    @Override
    public byte[] encode() {
      ByteSink sink = new ByteSink(1 + PROOF_BYTES);
      sink.writeByte(2);
      sink.write(proof);
      return sink.toByteArray();
    }
  }

  /**
   * {@code u8} 2, proof, sized principal in UTF-8.
   *
   * @param proof the result of {@link AuthenticationProof#ofServer}
   * @param principal the principal of the key, 1 to {@value #NAME_BYTES_MAX} bytes
   */
  record Accepted(Bytes proof, String principal) implements Answer {

    /** Refuses null and wrong lengths. */
    public Accepted {
      requireLength("proof", proof, PROOF_BYTES);
      requireName(principal);
    }

    @Override
    public byte[] encode() {
      ByteSink sink = new ByteSink(2 + PROOF_BYTES + principal.length());
      sink.writeByte(2);
      sink.write(proof);
      writeName(sink, principal);
      return sink.toByteArray();
    }
  }

  private static void requireLength(String what, Bytes bytes, int length) {
    if (bytes.length() != length) {
      throw new IllegalArgumentException(
          "a " + what + " has " + length + " bytes, not " + bytes.length());
    }
  }

  private static void requireName(String name) {
    int bytes = Utf8.encode(Objects.requireNonNull(name, "name")).length;
    if (bytes < 1 || bytes > NAME_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a name has 1 to " + NAME_BYTES_MAX + " bytes, not " + bytes);
    }
  }

  private static void writeName(ByteSink sink, String name) {
    byte[] bytes = Utf8.encode(name);
    sink.writeVarint(bytes.length);
    sink.write(bytes, 0, bytes.length);
  }

  private static String name(PayloadReader reader) {
    Bytes bytes = reader.readSized();
    if (bytes.length() < 1 || bytes.length() > NAME_BYTES_MAX) {
      throw new MalformedException(
          "a name of " + bytes.length() + " bytes, not 1 to " + NAME_BYTES_MAX);
    }
    return Utf8.decodeStrictly(bytes.toByteArray());
  }

  private static MalformedException unknown(int step) {
    return new MalformedException("step " + step + " of an authentication, which has 1 and 2");
  }
}
