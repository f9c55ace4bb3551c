package io.tunnel.programs.torture.hostile;

import io.tunnel.codec.Binary;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import javax.net.ssl.SSLEngine;

/** Below what clients say: records of TLS, and what is none. */
final class HandshakeAttacks {

  private static final int RECORD_HANDSHAKE = 22;
  private static final int RECORD_DATA = 23;

  /** Cipher suites that servers of those days took, with and without elliptic curves. */
  private static final int[] OLD_SUITES = {0xc013, 0xc014, 0xc009, 0x002f, 0x0035, 0x000a, 0x0005};

  private HandshakeAttacks() {}

  /** All bytes from the server until the end of the connection. */
  private static byte[] answer(int port, byte[] said, boolean isEnded) throws IOException {
    try (Socket socket = RawConnection.socket(port)) {
      try {
        OutputStream out = socket.getOutputStream();
        out.write(said);
        out.flush();
        if (isEnded) {
          socket.shutdownOutput();
        }
        InputStream in = socket.getInputStream();
        return in.readAllBytes();
      } catch (SocketTimeoutException e) {
        throw new RawConnection.UnansweredException(
            "the server keeps a handshake that does not go on");
      } catch (SocketException e) {
        return new byte[0];
      }
    }
  }

  private static int port(Scene scene, SplittableRandom random) {
    return random.nextBoolean()
        ? scene.target().port()
        : scene.target().httpPort().orElse(scene.target().port());
  }

  /** What a client of today begins with. */
  static byte[] clientHello() throws IOException {
    SSLEngine engine = Credulous.client().createSSLEngine();
    engine.setUseClientMode(true);
    ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    var unused = engine.wrap(ByteBuffer.allocate(0), record);
    return Arrays.copyOf(record.array(), record.position());
  }

  static void broken(Scene scene, SplittableRandom random) throws IOException {
    byte[] hello = clientHello();
    boolean isCut = random.nextBoolean();
    byte[] broken = isCut ? Arrays.copyOf(hello, random.nextInt(hello.length)) : hello;
    if (!isCut) {
      for (int flips = random.nextInt(1, 9); flips > 0; flips--) {
        broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
      }
    }
    byte[] answer = answer(port(scene, random), broken, true);
    requireNoAnswerInside(answer);
  }

  /** A server may shake hands; an answer to what was never asked it must not have. */
  private static void requireNoAnswerInside(byte[] answer) {
    if (new String(answer, StandardCharsets.ISO_8859_1).contains("tunnel_")) {
      throw new HoleException("figures for a broken handshake");
    }
  }

  static void downgraded(Scene scene, SplittableRandom random) throws IOException {
    if (!scene.target().isTls()) {
      return;
    }
    // SSL 3.0, TLS 1.0 and 1.1.
    byte[] answer =
        answer(port(scene, random), oldHello(random.nextInt(3), random), random.nextBoolean());
    if (answer.length > 0 && (answer[0] == RECORD_HANDSHAKE || answer[0] == RECORD_DATA)) {
      throw new HoleException("the server goes on with an old version of TLS");
    }
  }

  /** Without the extension that says newer versions. */
  private static byte[] oldHello(int minor, SplittableRandom random) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(body);
    out.writeShort(0x0300 | minor);
    byte[] chance = new byte[32];
    random.nextBytes(chance);
    out.write(chance);
    out.writeByte(0);
    out.writeShort(2 * OLD_SUITES.length);
    for (int suite : OLD_SUITES) {
      out.writeShort(suite);
    }
    out.write(new byte[] {1, 0});
    byte[] extensions = {0, 10, 0, 4, 0, 2, 0, 23, 0, 11, 0, 2, 1, 0};
    out.writeShort(extensions.length);
    out.write(extensions);
    return record(minor, body.toByteArray());
  }

  private static byte[] record(int minor, byte[] body) throws IOException {
    ByteArrayOutputStream record = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(record);
    out.writeByte(RECORD_HANDSHAKE);
    out.writeShort(0x0300 | minor);
    out.writeShort(body.length + 4);
    out.writeInt(1 << 24 | body.length);
    out.write(body);
    return record.toByteArray();
  }

  static void plain(Scene scene, SplittableRandom random) throws IOException {
    if (!scene.target().isTls()) {
      return;
    }
    if (scene.target().httpPort().isPresent() && random.nextBoolean()) {
      String page = random.nextBoolean() ? "/metrics" : "/health";
      byte[] request =
          ("GET " + page + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII);
      String answer =
          new String(
              answer(scene.target().httpPort().getAsInt(), request, false),
              StandardCharsets.ISO_8859_1);
      if (answer.startsWith("HTTP/1.1 200") || answer.contains("tunnel_")) {
        throw new HoleException(page + " without TLS: " + answer);
      }
      return;
    }
    byte[] hello =
        RawConnection.bytesOf(
            Operation.HELLO.code(),
            FrameKind.REQUEST,
            1,
            Hello.request(Protocol.SPOKEN, "raw").encode());
    byte[] answer = answer(scene.target().port(), hello, false);
    if (answer.length >= Frame.HEADER_BYTES
        && Binary.getByte(answer, 5) != FrameKind.ERROR.code()) {
      throw new HoleException("a greeting without TLS is answered");
    }
  }
}
