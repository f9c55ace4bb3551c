package io.tunnel.sdk.fake;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Accepts connections on loopback and calls a handler per operation, on the connection's thread.
 */
public final class FakeServer implements AutoCloseable {

  /** Takes a request or a push. */
  @FunctionalInterface
  public interface Handler {
    /** Answers, refuses, delays, or does nothing. */
    void handle(FakeConnection connection, Frame frame);
  }

  private final Map<Operation, Handler> handlers = new ConcurrentHashMap<>();
  private final List<FakeConnection> connections = new CopyOnWriteArrayList<>();
  private final List<Consumer<FakeConnection>> onEnd = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final int port;
  private final Sockets sockets;
  private volatile ServerSocket listener;
  private volatile Thread accepting;

  /** Creates listening sockets. */
  @FunctionalInterface
  public interface Sockets {
    /** A socket that is not bound. */
    ServerSocket open() throws IOException;
  }

  /** Listens on a free port and greets. */
  public FakeServer() {
    this(ServerSocket::new);
  }

  /** Listens with other sockets. */
  public FakeServer(Sockets sockets) {
    this.sockets = sockets;
    listener = listen(0);
    port = listener.getLocalPort();
    on(
        Operation.HELLO,
        (connection, frame) ->
            connection.answer(frame, Hello.request(Protocol.SPOKEN, "fake").encode()));
    // As a server does that knows no writers that number.
    on(
        Operation.OPEN_WRITER,
        (connection, frame) -> connection.refuse(frame, ErrorCode.UNKNOWN_OPERATION));
    // As a single server does.
    on(
        Operation.DESCRIBE_CLUSTER,
        (connection, frame) -> connection.refuse(frame, ErrorCode.INVALID_REQUEST));
    on(
        Operation.DETACH,
        (connection, frame) -> connection.refuse(frame, ErrorCode.INVALID_REQUEST));
  }

  private ServerSocket listen(int wanted) {
    try {
      ServerSocket socket = sockets.open();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), wanted));
      accepting = start(() -> accept(socket));
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "fake-server");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void accept(ServerSocket socket) {
    try {
      while (true) {
        Socket accepted = socket.accept();
        accepted.setTcpNoDelay(true);
        FakeConnection connection = new FakeConnection(accepted, this);
        connections.add(connection);
        start(connection::run);
      }
    } catch (IOException e) {
      // Closed: no more connections.
    }
  }

  /** The address of the server. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** A configuration for the server. */
  public ClientConfig config() {
    return ClientConfig.of("127.0.0.1", port);
  }

  /** Sets the handler of an operation. */
  public FakeServer on(Operation operation, Handler handler) {
    handlers.put(operation, handler);
    return this;
  }

  /** Runs when a connection has ended. */
  public void onEnd(Consumer<FakeConnection> task) {
    onEnd.add(task);
  }

  void received(FakeConnection connection, Frame frame) {
    Handler handler = handlers.get(frame.operation());
    if (handler == null || frame.kind() == FrameKind.RESPONSE) {
      failures.add(new AssertionError("unexpected frame of operation " + frame.operation()));
      return;
    }
    try {
      handler.handle(connection, frame);
    } catch (RuntimeException | AssertionError e) {
      failures.add(e);
    }
  }

  void ended(FakeConnection connection) {
    connections.remove(connection);
    onEnd.forEach(task -> task.accept(connection));
  }

  /** Failures on the server's side; every test requires at its end that there are none. */
  public List<Throwable> failures() {
    return failures;
  }

  /** Open connections. */
  public List<FakeConnection> connections() {
    return connections;
  }

  /** Closes all connections; new ones are accepted. */
  public void dropAll() {
    connections.forEach(FakeConnection::drop);
  }

  /** Accepts nothing more and closes all connections. */
  public void goAway() {
    try {
      listener.close();
      // The socket is closed once the accepting thread has noticed.
      accepting.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    dropAll();
  }

  /** Listens again on the same port. */
  public void comeBack() {
    listener = listen(port);
  }

  @Override
  public void close() {
    goAway();
  }
}
