package io.tunnel.programs.torture.hostile;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/** A socket to a server, on which anything can be said. For one thread. */
public final class RawConnection implements Closeable {

  /** Longer than a server waits with any answer. */
  static final int ANSWER_MS_MAX = 20_000;

  private static final SSLContext TLS = Credulous.client();

  private final Socket socket;
  private final DataInputStream in;
  private final Bytes binding;
  private final Deque<Frame> pushed = new ArrayDeque<>();
  private int lastCorrelationId = 100;

  /** A key, as somebody has begun to prove it. */
  record Begun(AccessKey key, AuthenticationProof seen) {

    byte[] proof() {
      return new Authentication.Prove(seen.ofClient(key.secret().utf8())).encode();
    }
  }

  private RawConnection(Socket socket, Bytes binding) throws IOException {
    this.socket = socket;
    this.binding = binding;
    this.in = new DataInputStream(socket.getInputStream());
  }

  /** A socket to a port of this machine. */
  static Socket socket(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(ANSWER_MS_MAX);
    return socket;
  }

  /** A socket with TLS around it, and its handshake done. */
  static SSLSocket tls(Socket plain) throws IOException {
    SSLSocket socket = (SSLSocket) TLS.getSocketFactory().createSocket(plain, "", 0, true);
    socket.startHandshake();
    return socket;
  }

  /** A connection without TLS, whatever the server speaks. */
  static RawConnection plain(Target target) throws IOException {
    return new RawConnection(socket(target.port()), AuthenticationProof.NO_CHANNEL);
  }

  /** A connection as the server wants it, on which nothing was said yet. */
  public static RawConnection silent(Target target) throws IOException {
    if (!target.isTls()) {
      return plain(target);
    }
    SSLSocket socket = tls(socket(target.port()));
    try {
      byte[] certificate = socket.getSession().getPeerCertificates()[0].getEncoded();
      return new RawConnection(socket, AuthenticationProof.binding(certificate));
    } catch (java.security.cert.CertificateEncodingException e) {
      throw new IOException(e);
    }
  }

  /** A connection that was greeted. */
  public static RawConnection greeted(Target target) throws IOException {
    RawConnection connection = silent(target);
    byte[] hello = Hello.request(Protocol.SPOKEN, "raw").encode();
    var unused = connection.granted(connection.ask(Operation.HELLO.code(), hello));
    return connection;
  }

  /** A connection of somebody with a key. */
  public static RawConnection of(Target target, AccessKey key) throws IOException {
    RawConnection connection = greeted(target);
    byte[] proof = connection.begin(key, nonce(connection.socket.getLocalPort())).proof();
    var unused = connection.request(Operation.AUTHENTICATE, proof);
    return connection;
  }

  /** A nonce of an attacker, which nobody has to be surprised by. */
  static Bytes nonce(long seed) {
    byte[] nonce = new byte[Authentication.NONCE_BYTES];
    Binary.putLong(nonce, 0, seed);
    return Bytes.copyOf(nonce);
  }

  /** Says which key it has, and is challenged. */
  Begun begin(AccessKey key, Bytes nonce) throws IOException {
    byte[] begin = new Authentication.Begin(key.id(), nonce).encode();
    Authentication.Answer answer =
        Authentication.Answer.decode(request(Operation.AUTHENTICATE, begin));
    if (!(answer instanceof Authentication.Challenge challenge)) {
      throw new HoleException("a key was accepted without a proof");
    }
    return new Begun(key, new AuthenticationProof(key.id(), nonce, challenge.nonce(), binding));
  }

  /** A whole frame. */
  static byte[] bytesOf(int operation, FrameKind kind, int correlationId, byte[] payload) {
    byte[] bytes = new byte[Frame.HEADER_BYTES + payload.length];
    Frame.writeHeader(bytes, 0, operation, kind, correlationId, payload.length);
    System.arraycopy(payload, 0, bytes, Frame.HEADER_BYTES, payload.length);
    return bytes;
  }

  /** Sends; throws when the server has closed. */
  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  /** Sends as much as the server takes before it closes. */
  void sendWhileOpen(byte[] bytes) {
    try {
      send(bytes);
    } catch (IOException e) {
      // The server has closed its end, as it may.
    }
  }

  /** From now on an answer that takes longer than so many milliseconds is a hole. */
  void answersWithin(int ms) throws SocketException {
    socket.setSoTimeout(ms);
  }

  /** Sends nothing more. */
  void end() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      // The server has closed its end, as it may.
    }
  }

  void push(Operation operation, byte[] payload) throws IOException {
    send(bytesOf(operation.code(), FrameKind.PUSH, 0, payload));
  }

  /** Sends a request and returns the one frame that answers it; pushes are kept. */
  public Frame ask(int operation, byte[] payload) throws IOException {
    int correlationId = ++lastCorrelationId;
    send(bytesOf(operation, FrameKind.REQUEST, correlationId, payload));
    while (true) {
      Frame frame = receive().orElseThrow(() -> new EOFException("closed, and not answered"));
      boolean isOfDelivery =
          frame.operation() == Operation.DELIVER && operation != Operation.DELIVER.code();
      if (frame.kind() == FrameKind.PUSH || isOfDelivery) {
        pushed.add(frame);
      } else if (frame.correlationId() == correlationId && frame.operationCode() == operation) {
        return frame;
      } else if (frame.kind() == FrameKind.ERROR && frame.correlationId() == 0) {
        throw new EOFException("closed: " + errorOf(frame));
      } else {
        throw new HoleException("an answer that nobody has asked for: " + frame.operationCode());
      }
    }
  }

  private byte[] granted(Frame answer) throws IOException {
    if (answer.kind() == FrameKind.ERROR) {
      ErrorPayload error = ErrorPayload.decode(answer.payload());
      if (error.code() == ErrorCode.BUSY) {
        throw new IOException(error.message());
      }
      throw new IllegalStateException(answer.operation() + " was refused: " + error);
    }
    return answer.payload();
  }

  /** Sends a request that must be granted; returns the answer's payload. */
  public byte[] request(Operation operation, byte[] payload) throws IOException {
    return granted(ask(operation.code(), payload));
  }

  <T extends Control> T request(Operation operation, Control payload, Class<T> type)
      throws IOException {
    return Json.decode(request(operation, Json.encode(payload)), type);
  }

  /** Sends a request that must be refused, and not because the server is at a loss. */
  public ErrorPayload refused(Operation operation, byte[] payload) throws IOException {
    Frame answer = ask(operation.code(), payload);
    if (answer.kind() != FrameKind.ERROR) {
      throw new HoleException(operation + " was granted");
    }
    return errorOf(answer);
  }

  /** What a frame says is wrong. */
  static ErrorPayload errorOf(Frame frame) {
    try {
      ErrorPayload error = ErrorPayload.decode(frame.payload());
      if (error.code() == ErrorCode.INTERNAL || error.message().isBlank()) {
        throw new HoleException("the server blames itself: " + error);
      }
      return error;
    } catch (MalformedException e) {
      throw new HoleException("an error that cannot be read: " + e.getMessage());
    }
  }

  /** The next frame; empty when the server has closed the connection. */
  public Optional<Frame> receive() throws IOException {
    try {
      byte[] header = new byte[Frame.HEADER_BYTES];
      in.readFully(header);
      byte[] payload = new byte[Binary.getInt(header, 0) + 4 - Frame.HEADER_BYTES];
      in.readFully(payload);
      return Optional.of(
          new Frame(
              Binary.getByte(header, 4),
              kind(Binary.getByte(header, 5)),
              Binary.getInt(header, 8),
              payload));
    } catch (SocketTimeoutException e) {
      throw new UnansweredException("the server neither answers nor closes the connection");
    } catch (EOFException | SocketException | SSLException e) {
      return Optional.empty();
    }
  }

  private static FrameKind kind(int code) {
    return Arrays.stream(FrameKind.values())
        .filter(kind -> kind.code() == code)
        .findFirst()
        .orElseThrow(() -> new HoleException("a frame of kind " + code));
  }

  /** The next pushed frame of that operation; others are dropped. */
  public Frame awaitPush(Operation operation) throws IOException {
    while (true) {
      Frame frame = pushed.poll();
      if (frame == null) {
        frame = receive().orElseThrow(() -> new EOFException("closed, and nothing pushed"));
      }
      if (frame.operation() == operation) {
        return frame;
      }
    }
  }

  /** Frames that were pushed and not looked at. */
  Deque<Frame> pushed() {
    return pushed;
  }

  /**
   * The error with which the server closes the connection. Whatever else it says is a hole.
   *
   * @param code of the error, if it must be a certain one
   */
  ErrorPayload closedWith(Optional<ErrorCode> code) throws IOException {
    Frame last = receive().orElseThrow(() -> new EOFException("closed without a word"));
    if (last.kind() != FrameKind.ERROR) {
      throw new HoleException("a " + last.kind() + " of " + last.operation() + " for a stranger");
    }
    ErrorPayload error = errorOf(last);
    if (code.isPresent() && code.get() != error.code()) {
      throw new HoleException("refused with " + error + " and not with " + code.get());
    }
    if (receive().isPresent()) {
      throw new HoleException("a frame behind the last word");
    }
    return error;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /**
   * The server neither answered nor closed a connection in time: it hangs, or the machine is too
   * slow for both. Nothing was obtained.
   */
  static final class UnansweredException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnansweredException(String message) {
      super(message);
    }
  }
}
