package io.tunnel.server.node;

import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.LookAnswer;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;

/** A node on a loopback socket, whose every answer a test writes. */
final class LookPeer implements Closeable {

  private static final int DEADLINE_MS = 60_000;

  private final NodeSeals seals;
  private final ServerSocket listener;
  private final BlockingQueue<Visit> visits = new LinkedBlockingQueue<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  LookPeer(NodeSeals seals) throws IOException {
    this(seals, ServerSocketFactory.getDefault());
  }

  /** A node whose sockets are those of a factory. */
  LookPeer(NodeSeals seals, ServerSocketFactory sockets) throws IOException {
    this.seals = seals;
    this.listener = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread accepting = new Thread(this::accept, "peer");
    accepting.setDaemon(true);
    accepting.start();
  }

  String address() {
    return listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setSoTimeout(DEADLINE_MS);
        sockets.add(socket);
        visits.add(new Visit(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  /** The next connection, on which nothing was read yet. */
  Visit visit() throws Exception {
    Visit next = visits.poll(DEADLINE_MS, TimeUnit.MILLISECONDS);
    if (next == null) {
      throw new AssertionError("no connection");
    }
    return next;
  }

  /** The next connection, whose node has come in. */
  Visit guest() throws Exception {
    Visit guest = visit();
    guest.welcome();
    return guest;
  }

  boolean hasVisits() {
    return !visits.isEmpty();
  }

  /** Listens no more; connections stay open. */
  void stopListening() throws IOException {
    listener.close();
  }

  /** A connection. */
  final class Visit {
    private final Socket socket;
    private final FrameAssembler assembler = new FrameAssembler();
    private final Deque<Frame> frames = new ArrayDeque<>();

    Visit(Socket socket) {
      this.socket = socket;
    }

    /** The next frame; a closed connection throws. */
    Frame next() throws IOException {
      byte[] bytes = new byte[4_096];
      while (frames.isEmpty()) {
        int count = socket.getInputStream().read(bytes);
        if (count < 0) {
          throw new IOException("closed");
        }
        assembler.feed(ByteBuffer.wrap(bytes, 0, count), frames::add);
      }
      return frames.remove();
    }

    Frame greet() throws IOException {
      Frame hello = next();
      Agreement agreed = Hello.decode(hello.payload()).accept(Protocol.SPOKEN);
      send(
          Operation.HELLO,
          FrameKind.RESPONSE,
          hello.correlationId(),
          Hello.answer(agreed, Protocol.SPOKEN, "peer").encode());
      return next();
    }

    void welcome() throws IOException {
      answer(greet(), List.of());
    }

    /** The questions of a request. */
    LookRequest read(Frame frame, String self, long nowMs) {
      return seals.open(frame.payload(), self, nowMs);
    }

    void answer(Frame frame, List<Part> parts) throws IOException {
      byte[] answer = seals.sealAnswer(frame.payload(), new LookAnswer(parts));
      send(Operation.LOOK, FrameKind.RESPONSE, frame.correlationId(), answer);
    }

    void send(Operation operation, FrameKind kind, int id, byte[] payload) throws IOException {
      Frame frame = new Frame(operation, kind, id, payload);
      bytes(frame.header());
      bytes(payload);
    }

    void bytes(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    void close() throws IOException {
      socket.close();
    }

    /** Waits until the other side has closed the connection. */
    boolean isClosedByPeer() {
      try {
        while (true) {
          var unused = next();
        }
      } catch (IOException e) {
        return !(e instanceof java.net.SocketTimeoutException);
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
