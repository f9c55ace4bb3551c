package io.tunnel.it.hostile;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between clients and a server whose bytes it cannot read; loses answers, and cuts. */
final class TcpValve implements AutoCloseable {

  private final int serverPort;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile boolean swallows;

  TcpValve(int serverPort) {
    this.serverPort = serverPort;
    try {
      listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  String endpoint() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** What the server says from now on is lost, until the {@link #cut}. */
  void swallowAnswers() {
    swallows = true;
  }

  /** Closes all connections; later ones pass everything. */
  void cut() {
    List<Socket> open = List.copyOf(sockets);
    sockets.removeAll(open);
    open.forEach(TcpValve::closeQuietly);
    swallows = false;
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "valve");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        sockets.add(client);
        sockets.add(server);
        start(() -> pass(client, server, false));
        start(() -> pass(server, client, true));
      }
    } catch (IOException e) {
      // Closed: no more connections.
    }
  }

  private void pass(Socket from, Socket to, boolean isFromServer) {
    byte[] buffer = new byte[64 * 1024];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (!isFromServer || !swallows) {
          out.write(buffer, 0, count);
        }
      }
    } catch (IOException e) {
      // Either side has closed.
    }
    closeQuietly(from);
    closeQuietly(to);
  }

  private static void closeQuietly(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Closed already, as far as anybody can tell.
    }
  }

  @Override
  public void close() {
    closeQuietly(listener);
    cut();
  }
}
