package io.tunnel.it.process;

import io.tunnel.fixtures.FreePort;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * A port that stands for another one of this machine, and between the two a network that a test can
 * break.
 *
 * <p>{@link #hold} is a network that carries nothing: connections stay, new ones seem to succeed,
 * and nobody hears from the other side. What was sent meanwhile arrives after {@link #resume}, as a
 * packet does that was long on its way, even when its sender has closed the connection since. After
 * {@link #holdAnswers} the proxy carries one direction only: requests arrive, and answers do not.
 * {@link #cut} is a peer that is gone: all connections end, and new ones are refused.
 */
public final class TcpProxy implements AutoCloseable {

  private static final int BACKLOG = 200;
  private static final int CHUNK_BYTES = 64 * 1024;

  private final int targetPort;
  private final int port = FreePort.find();

  // Guarded by this.
  private final Set<Socket> sockets = new HashSet<>();
  private Optional<Listener> listener = Optional.empty();
  private boolean isHeld;
  private boolean areAnswersHeld;
  private boolean isClosed;

  /** Who takes connections. */
  private record Listener(ServerSocket socket, Thread thread) {}

  TcpProxy(int targetPort) {
    this.targetPort = targetPort;
    resume();
  }

  int port() {
    return port;
  }

  /** Nothing passes from now on, in either direction. */
  public synchronized void hold() {
    isHeld = true;
  }

  /** Passes on bytes of clients, and holds back bytes of the server. */
  public synchronized void holdAnswers() {
    areAnswersHeld = true;
  }

  /** Everybody on either side is told that the other is gone. */
  void cut() {
    Optional<Listener> ended = endConnections();
    // The port is free when the thread that accepts has seen that it was closed.
    ended.ifPresent(each -> join(each.thread()));
  }

  private synchronized Optional<Listener> endConnections() {
    Optional<Listener> ended = listener;
    ended.ifPresent(each -> close(each.socket()));
    listener = Optional.empty();
    sockets.forEach(TcpProxy::close);
    sockets.clear();
    return ended;
  }

  /** The network carries again, beginning with what it held. */
  public synchronized void resume() {
    isHeld = false;
    areAnswersHeld = false;
    notifyAll();
    if (listener.isEmpty()) {
      ServerSocket socket = listen();
      Thread thread = start("tcp-proxy-" + targetPort, () -> accept(socket));
      listener = Optional.of(new Listener(socket, thread));
    }
  }

  private static Thread start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private ServerSocket listen() {
    try {
      return new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept(ServerSocket opened) {
    while (true) {
      try {
        Socket client = opened.accept();
        if (keep(client)) {
          var unused = start("tcp-proxy-up", () -> connect(client));
        }
      } catch (IOException e) {
        return;
      }
    }
  }

  private synchronized boolean keep(Socket socket) {
    if (listener.isEmpty()) {
      close(socket);
      return false;
    }
    sockets.add(socket);
    return true;
  }

  private synchronized void forget(Socket socket) {
    close(socket);
    sockets.remove(socket);
  }

  private void connect(Socket client) {
    try {
      awaitPassage(false);
      Socket server = new Socket(InetAddress.getLoopbackAddress(), targetPort);
      if (!keep(server)) {
        return;
      }
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      Thread down = start("tcp-proxy-down", () -> pass(server, client, true));
      pass(client, server, false);
      join(down);
      forget(server);
    } catch (IOException e) {
      // Nobody listens there: the client is told by the end of its connection.
    } finally {
      forget(client);
    }
  }

  /**
   * Until {@code from} ends. Bytes that {@code to} does not take any more are dropped, so the other
   * direction still arrives whole.
   */
  private void pass(Socket from, Socket to, boolean isAnswers) {
    byte[] chunk = new byte[CHUNK_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
        awaitPassage(isAnswers);
        write(out, chunk, count);
      }
      awaitPassage(isAnswers);
      to.shutdownOutput();
    } catch (IOException e) {
      close(to);
    }
  }

  private static void write(OutputStream out, byte[] chunk, int count) {
    try {
      out.write(chunk, 0, count);
    } catch (IOException e) {
      // Its reader is gone, and says so in the other direction.
    }
  }

  private synchronized void awaitPassage(boolean isAnswers) throws IOException {
    try {
      while ((isHeld || (isAnswers && areAnswersHeld)) && !isClosed) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void close(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is closed already.
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends all connections; those that are held are not given anything more. */
  @Override
  public void close() {
    end();
    cut();
  }

  private synchronized void end() {
    isClosed = true;
    notifyAll();
  }
}
