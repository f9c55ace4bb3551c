package io.tunnel.it.recorded;

import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** A socket on which frames come and go. */
final class FrameSocket implements Closeable {

  private final Socket socket;

  FrameSocket(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
  }

  static FrameSocket connect(int port) throws IOException {
    return new FrameSocket(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /** Hands every frame that comes to {@code frames}, by a thread of its own, until the end. */
  void read(Consumer<Frame> frames, Runnable atEnd) {
    Thread thread =
        new Thread(
            () -> {
              readAll(frames);
              atEnd.run();
            },
            "recorded-frames");
    thread.setDaemon(true);
    thread.start();
  }

  private void readAll(Consumer<Frame> frames) {
    FrameAssembler assembler = new FrameAssembler();
    byte[] buffer = new byte[64 * 1024];
    try (InputStream in = socket.getInputStream()) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        assembler.feed(ByteBuffer.wrap(buffer, 0, count), frames);
      }
    } catch (IOException e) {
      // Closed by one side or the other: the end, either way.
    }
  }

  /** Sends; what the other side does not take any more is lost. */
  synchronized void send(Frame frame) {
    try {
      socket.getOutputStream().write(frame.header());
      socket.getOutputStream().write(frame.payload());
    } catch (IOException e) {
      // The other side has closed, and misses nothing.
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
