package io.tunnel.it.process;

import io.tunnel.codec.Binary;
import io.tunnel.wire.Frame;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Stands between clients and a server and passes frames on, whole or not at all; a test may look at
 * each, and cut its connection there. What the client sends until it notices is read and lost.
 */
public final class FrameProxy implements AutoCloseable {

  private final int serverPort;
  private final Watcher watcher;
  private final ServerSocket listener;

  // Guarded by this.
  private final List<Link> links = new ArrayList<>();

  /** Decides what happens to a frame. Called for one frame at a time. */
  public interface Watcher {
    /** Whether the frame is passed on; if not, its connection is cut. */
    boolean passes(boolean isFromClient, Frame frame);

    /** The frame came whole from a client whose connection was cut. */
    void lost(Frame frame);
  }

  private static final class Link {
    private final Socket client;
    private final Socket server;
    private boolean isCut;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }
  }

  public FrameProxy(int serverPort, Watcher watcher) {
    this.serverPort = serverPort;
    this.watcher = watcher;
    try {
      listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start("proxy", this::accept);
  }

  public String endpoint() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (true) {
      try {
        Link link =
            new Link(listener.accept(), new Socket(InetAddress.getLoopbackAddress(), serverPort));
        link.client.setTcpNoDelay(true);
        link.server.setTcpNoDelay(true);
        synchronized (this) {
          links.add(link);
        }
        start("proxy-up", () -> pass(link, true));
        start("proxy-down", () -> pass(link, false));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void pass(Link link, boolean isFromClient) {
    Socket from = isFromClient ? link.client : link.server;
    Socket to = isFromClient ? link.server : link.client;
    try {
      DataInputStream in = new DataInputStream(from.getInputStream());
      while (true) {
        byte[] bytes = readFrame(in);
        if (passes(link, isFromClient, frameOf(bytes))) {
          forward(link, to, bytes);
        }
      }
    } catch (IOException e) {
      ended(link, isFromClient);
    }
  }

  private void forward(Link link, Socket to, byte[] bytes) throws IOException {
    try {
      to.getOutputStream().write(bytes);
    } catch (IOException e) {
      if (!isCut(link)) {
        throw e;
      }
    }
  }

  private synchronized boolean isCut(Link link) {
    return link.isCut;
  }

  private synchronized boolean passes(Link link, boolean isFromClient, Frame frame)
      throws IOException {
    if (!link.isCut) {
      if (watcher.passes(isFromClient, frame)) {
        return true;
      }
      link.isCut = true;
      close(link.server);
      link.client.shutdownOutput();
    }
    if (isFromClient) {
      watcher.lost(frame);
    }
    return false;
  }

  /** The client's end of a cut connection is still read, until the client closes it. */
  private synchronized void ended(Link link, boolean isFromClient) {
    close(link.server);
    if (isFromClient || !link.isCut) {
      close(link.client);
    }
  }

  private static byte[] readFrame(DataInputStream in) throws IOException {
    byte[] length = new byte[4];
    in.readFully(length);
    byte[] bytes = new byte[4 + Binary.getInt(length, 0)];
    System.arraycopy(length, 0, bytes, 0, 4);
    in.readFully(bytes, 4, bytes.length - 4);
    return bytes;
  }

  private static Frame frameOf(byte[] bytes) {
    byte[] payload = new byte[bytes.length - Frame.HEADER_BYTES];
    System.arraycopy(bytes, Frame.HEADER_BYTES, payload, 0, payload.length);
    return RawClient.frameOf(bytes, payload);
  }

  private static void close(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is closed already.
    }
  }

  @Override
  public synchronized void close() {
    close(listener);
    for (Link link : links) {
      close(link.client);
      close(link.server);
    }
  }
}
