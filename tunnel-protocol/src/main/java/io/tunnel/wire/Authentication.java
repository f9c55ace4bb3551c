package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.value.Bytes;
import java.util.Objects;

/**
 * What client and server say to each other with {@link Operation#AUTHENTICATE}, in this order: a
 * client says which key it has, is challenged, proves that it knows the key's secret, and is
 * accepted by a server that proves the same. Each payload opens with {@code u8} step, 1 of {@link
 * Begin} and {@link Challenge}, 2 of {@link Prove} and {@link Accepted}. The secret itself is never
 * sent.
 */
public sealed interface Authentication {

  /** Bytes of a nonce, drawn anew for each attempt. */
  int NONCE_BYTES = 32;

  /** Bytes of a proof. */
  int PROOF_BYTES = 32;

  /** Bytes of a key's id, and of the principal's name that it stands for. */
  int NAME_BYTES_MAX = 255;

  /** The bytes. */
  byte[] encode();

  /** What a client sends. */
  sealed interface Request extends Authentication {

    /** Reads the bytes of a client. */
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

  /** What a server answers. */
  sealed interface Answer extends Authentication {

    /** Reads the bytes of a server. */
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
   * @param keyId the key, 1 to {@value #NAME_BYTES_MAX} bytes
   * @param nonce of the client
   */
  record Begin(String keyId, Bytes nonce) implements Request {

    /** Refuses null, and what has another length. */
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
   * @param nonce of the server
   */
  record Challenge(Bytes nonce) implements Answer {

    /** Refuses null, and another length. */
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
   * @param proof as {@link AuthenticationProof#ofClient}
   */
  record Prove(Bytes proof) implements Request {

    /** Refuses null, and another length. */
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
   * @param proof as {@link AuthenticationProof#ofServer}
   * @param principal whom the key stands for, 1 to {@value #NAME_BYTES_MAX} bytes
   */
  record Accepted(Bytes proof, String principal) implements Answer {

    /** Refuses null, and what has another length. */
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
