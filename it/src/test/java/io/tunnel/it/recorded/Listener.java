package io.tunnel.it.recorded;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Accepts connections on a free port of the loopback address. */
final class Listener implements Closeable {

  private final ServerSocket socket;

  /** Is told of a connection. */
  interface Acceptor {
    void accept(FrameSocket connection) throws IOException;
  }

  Listener(Acceptor acceptor) throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(() -> acceptAll(acceptor), "recorded-listener");
    thread.setDaemon(true);
    thread.start();
  }

  private void acceptAll(Acceptor acceptor) {
    try {
      while (true) {
        acceptor.accept(new FrameSocket(socket.accept()));
      }
    } catch (IOException e) {
      // Closed: no more connections.
    }
  }

  String endpoint() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
