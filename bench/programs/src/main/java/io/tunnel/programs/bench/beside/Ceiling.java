package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.beside.CeilingRows.Sums;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What this machine would carry if nothing were done but what cannot be left out: the rows of the
 * benchmarks go from the page cache over one loopback socket to a reader, which checks the checksum
 * of each chunk and hashes each key. One thread of this process hands the file to the socket,
 * another one reads; there is no protocol, no position and no server.
 */
public final class Ceiling {

  /** Enough for a second or so, few enough for the page cache: 420 MB. */
  static final long ROWS_MAX = 2_000_000;

  private static final String RATE = "rows/s";
  private static final int BUFFER_BYTES = 1 << 20;

  private final Stage stage;

  /** Measures with the clock and the limits of that stage. */
  public Ceiling(Stage stage) {
    this.stage = stage;
  }

  /**
   * Writes the rows to a file, sends it as often as asked for and once more before, and removes it.
   *
   * @param directory where the file is made
   * @param rows how many; never more than two million
   * @return rows a second of the median round
   */
  public double run(Path directory, long rows, int rounds) throws IOException {
    Path file = Files.createTempFile(directory, "ceiling", ".rows");
    try {
      Sums written = write(file, Math.min(rows, ROWS_MAX));
      List<Figures> measured = new ArrayList<>();
      for (int round = 0; round <= rounds; round++) {
        stage.step("raw ceiling, " + (round == 0 ? "warm-up" : round + " of " + rounds));
        Figures figures = send(file, written);
        if (round > 0) {
          measured.add(figures);
        }
      }
      return Figures.medians(measured).get(RATE);
    } finally {
      Files.delete(file);
    }
  }

  private Sums write(Path file, long rows) throws IOException {
    stage.step("raw ceiling, rows to send");
    try (FileChannel target = FileChannel.open(file, StandardOpenOption.WRITE)) {
      return CeilingRows.write(rows, target);
    }
  }

  private Figures send(Path file, Sums written) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
      Thread sender = new Thread(() -> serve(server, file), "ceiling-sender");
      sender.setDaemon(true);
      sender.start();
      LoadClock clock = stage.clock();
      long startNanos = clock.nanos();
      Sums read = receive(server, startNanos + TimeUnit.SECONDS.toNanos(stage.stepSecondsMax()));
      long nanos = Math.max(1, clock.nanos() - startNanos);
      if (!read.equals(written)) {
        throw CommandFailure.failed("not what was written: " + read + ", expected " + written);
      }
      Figures figures = new Figures();
      figures.put(RATE, read.rows() * 1e9 / nanos);
      return figures;
    }
  }

  /** From the page cache to the socket, without a copy into this process. */
  private static void serve(ServerSocketChannel server, Path file) {
    try (SocketChannel socket = server.accept();
        FileChannel source = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = source.size();
      long at = 0;
      while (at < size) {
        at += source.transferTo(at, size - at, socket);
      }
    } catch (IOException e) {
      // The reader sees that its socket ends early, or has gone itself.
    }
  }

  private Sums receive(ServerSocketChannel server, long deadlineNanos) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    Sums sums = Sums.NONE;
    try (SocketChannel socket = SocketChannel.open()) {
      socket.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
      socket.connect(server.getLocalAddress());
      while (socket.read(buffer) >= 0) {
        buffer.flip();
        sums = sums.plus(CeilingRows.read(buffer));
        buffer.compact();
        if (stage.clock().nanos() - deadlineNanos > 0) {
          throw CommandFailure.failed(
              "the raw ceiling took longer than " + stage.stepSecondsMax() + " s");
        }
      }
    }
    return sums;
  }
}
