package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.Predicate;

/** A client that knows nothing but frames. What it waits for comes, or the test fails. */
final class RawClient implements Closeable {

  private static final int DEADLINE_MS = 30_000;

  private final Socket socket = new Socket();
  private final FrameAssembler assembler = new FrameAssembler();
  private final Deque<Frame> received = new ArrayDeque<>();
  private int lastCorrelation;

  RawClient(InetSocketAddress address) throws IOException {
    socket.connect(address, DEADLINE_MS);
    socket.setSoTimeout(DEADLINE_MS);
    assertThat(ask(Operation.HELLO, Hello.request(Protocol.SPOKEN, "raw").encode()).kind())
        .isEqualTo(FrameKind.RESPONSE);
  }

  /** Proves that it has a key. */
  void authenticate(KeySecret key) throws IOException {
    Bytes nonce = TestGate.bytes(0xcc);
    byte[] begin = new Begin(key.key().id(), nonce).encode();
    Challenge challenge =
        (Challenge) Authentication.Answer.decode(granted(Operation.AUTHENTICATE, begin));
    AuthenticationProof seen =
        new AuthenticationProof(
            key.key().id(), nonce, challenge.nonce(), AuthenticationProof.NO_CHANNEL);
    Bytes proof = seen.ofClient(key.secret().getBytes(StandardCharsets.UTF_8));
    byte[] unused = granted(Operation.AUTHENTICATE, new Prove(proof).encode());
  }

  /** Sends a request, and does not wait. */
  int send(Operation operation, byte[] payload) throws IOException {
    lastCorrelation++;
    write(new Frame(operation, FrameKind.REQUEST, lastCorrelation, payload));
    return lastCorrelation;
  }

  void push(Operation operation, byte[] payload) throws IOException {
    write(new Frame(operation, FrameKind.PUSH, 0, payload));
  }

  private void write(Frame frame) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Frame.HEADER_BYTES + frame.payload().length);
    bytes.put(frame.header()).put(frame.payload());
    socket.getOutputStream().write(bytes.array());
  }

  /** The answer to a request. */
  Frame ask(Operation operation, byte[] payload) throws IOException {
    return answer(operation, send(operation, payload));
  }

  /** The answer to a request that was sent. */
  Frame answer(Operation operation, int correlation) throws IOException {
    return next(
        frame ->
            frame.correlationId() == correlation
                && frame.operation() == operation
                && frame.kind() != FrameKind.PUSH);
  }

  /** The answer to a request that is granted. */
  byte[] granted(Operation operation, byte[] payload) throws IOException {
    Frame answer = ask(operation, payload);
    if (answer.kind() == FrameKind.ERROR) {
      throw new AssertionError(operation + " is refused: " + error(answer));
    }
    return answer.payload();
  }

  <T extends Control> T granted(Operation operation, Control request, Class<T> type)
      throws IOException {
    return Json.decode(granted(operation, Json.encode(request)), type);
  }

  /** Why a request is refused. */
  ErrorPayload refused(Operation operation, byte[] payload) throws IOException {
    return error(ask(operation, payload));
  }

  ErrorPayload refused(Operation operation, Control request) throws IOException {
    return refused(operation, Json.encode(request));
  }

  static ErrorPayload error(Frame frame) {
    assertThat(frame.kind()).isEqualTo(FrameKind.ERROR);
    return ErrorPayload.decode(frame.payload());
  }

  /** The next push, or error that nobody asked for, of an operation. */
  Frame pushed(Operation operation) throws IOException {
    return next(frame -> frame.operation() == operation && frame.kind() != FrameKind.RESPONSE);
  }

  private Frame next(Predicate<Frame> wanted) throws IOException {
    byte[] buffer = new byte[64 * 1024];
    while (true) {
      for (Iterator<Frame> each = received.iterator(); each.hasNext(); ) {
        Frame frame = each.next();
        if (wanted.test(frame)) {
          each.remove();
          return frame;
        }
      }
      int read = socket.getInputStream().read(buffer);
      if (read < 0) {
        throw new IOException("the server closed the connection; it said " + received);
      }
      assembler.feed(ByteBuffer.wrap(buffer, 0, read), received::add);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
