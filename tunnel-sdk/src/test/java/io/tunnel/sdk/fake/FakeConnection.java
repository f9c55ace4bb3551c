package io.tunnel.sdk.fake;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One accepted socket: its reader thread calls the server's handler for every request. */
public final class FakeConnection {

  private final Socket socket;
  private final FakeServer server;
  private volatile boolean isDropped;

  FakeConnection(Socket socket, FakeServer server) {
    this.socket = socket;
    this.server = server;
  }

  void run() {
    FrameAssembler assembler = new FrameAssembler();
    byte[] buffer = new byte[64 * 1024];
    try (InputStream in = socket.getInputStream()) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        assembler.feed(ByteBuffer.wrap(buffer, 0, count), this::received);
      }
    } catch (IOException e) {
      // Closed by one side or the other: the end, either way.
    } finally {
      drop();
      server.ended(this);
    }
  }

  /** A read that was under way when the socket was closed may still return what came then. */
  private void received(Frame frame) {
    if (!isDropped) {
      server.received(this, frame);
    }
  }

  /** Answers a request. */
  public void answer(Frame request, byte[] payload) {
    send(new Frame(request.operationCode(), FrameKind.RESPONSE, request.correlationId(), payload));
  }

  /** Refuses a request. */
  public void refuse(Frame request, ErrorCode code) {
    error(request.operationCode(), request.correlationId(), code);
  }

  /** An ERROR frame. */
  public void error(int operationCode, int correlationId, ErrorCode code) {
    byte[] payload = new ErrorPayload(code, "refused by the test: " + code).encode();
    send(new Frame(operationCode, FrameKind.ERROR, correlationId, payload));
  }

  /** Refuses a request as another node's, whose address is said if it is known. */
  public void sendOn(Frame request, Optional<String> leader) {
    notLeader(request.operationCode(), request.correlationId(), leader);
  }

  /** An ERROR frame that says who leads. */
  public void notLeader(int operationCode, int correlationId, Optional<String> leader) {
    byte[] payload = new ErrorPayload(ErrorCode.NOT_LEADER, "not the leader", leader, 0).encode();
    send(new Frame(operationCode, FrameKind.ERROR, correlationId, payload));
  }

  /** Says something unasked. */
  public void push(Operation operation, byte[] payload) {
    send(new Frame(operation, FrameKind.PUSH, 0, payload));
  }

  private synchronized void send(Frame frame) {
    raw(frame.header());
    raw(frame.payload());
  }

  /** Sends bytes that need not be a frame. */
  public synchronized void raw(byte[] bytes) {
    try {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      out.flush();
    } catch (IOException e) {
      // The other side is gone and will not miss it.
    }
  }

  /** Closes the socket. */
  public void drop() {
    isDropped = true;
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
