package io.tunnel.bench.delivery;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/** A session on a connection of its own that gives no credit and only keeps its lease. */
final class IdleSession implements AutoCloseable {

  private static final long LEASE_MS = 60_000;

  private final SocketChannel socket;
  private final FrameAssembler assembler = new FrameAssembler();
  private final ByteBuffer read = ByteBuffer.allocate(8 * 1024);
  private Optional<String> sessionId = Optional.empty();

  private IdleSession(SocketChannel socket) {
    this.socket = socket;
  }

  static IdleSession open(String endpoint, String tunnelId, String tag) throws IOException {
    ClientConfig server = ClientConfig.of(endpoint);
    IdleSession session =
        new IdleSession(SocketChannel.open(new InetSocketAddress(server.host(), server.port())));
    session.request(Operation.HELLO, Hello.request(Protocol.SPOKEN, "idle").encode());
    session.request(
        Operation.OPEN_SESSION,
        Json.encode(new SessionControl.OpenSession(tunnelId, tag, LEASE_MS, 0)));
    while (session.sessionId.isEmpty()) {
      session.receive();
    }
    session.socket.configureBlocking(false);
    return session;
  }

  private void request(Operation operation, byte[] payload) throws IOException {
    byte[] bytes = new byte[Frame.HEADER_BYTES + payload.length];
    Frame.writeHeader(
        bytes, 0, operation.code(), FrameKind.REQUEST, operation.code(), payload.length);
    System.arraycopy(payload, 0, bytes, Frame.HEADER_BYTES, payload.length);
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    while (frame.hasRemaining()) {
      var unused = socket.write(frame);
    }
  }

  private boolean receive() throws IOException {
    read.clear();
    int bytes = socket.read(read);
    if (bytes < 0) {
      throw new IOException("the server closed an idle connection");
    }
    read.flip();
    assembler.feed(read, this::received);
    return bytes > 0;
  }

  private void received(Frame frame) {
    if (frame.kind() == FrameKind.ERROR) {
      throw new IllegalStateException("refused: " + frame.operation());
    }
    if (frame.operation() == Operation.OPEN_SESSION) {
      sessionId =
          Optional.of(Json.decode(frame.payload(), SessionControl.SessionOpened.class).sessionId());
    }
  }

  /** Renews the lease, and takes what the server has said. */
  void heartbeat() throws IOException {
    request(
        Operation.HEARTBEAT, Json.encode(new SessionControl.SessionId(sessionId.orElseThrow())));
    boolean hasMore = true;
    while (hasMore) {
      hasMore = receive();
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
