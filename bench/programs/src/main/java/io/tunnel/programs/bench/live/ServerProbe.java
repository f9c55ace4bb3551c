package io.tunnel.programs.bench.live;

import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.programs.servers.JavaProgram;
import io.tunnel.programs.servers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a server holds now, as far as Linux and the log of its garbage collections say; else NaN.
 */
public final class ServerProbe {

  private static final Pattern COLLECTED = Pattern.compile("->([0-9]+)([KMG])\\(");
  private static final int TAIL_BYTES = 8 * 1024;
  private static final double NONE = Double.NaN;
  private static final String LOOPBACK = "lo:";

  private final ServerProcess server;
  private final DataDirectory directory;
  private final Path gcLog;

  /** Looks at that server, whose collections are logged to {@code gcLog}. */
  public ServerProbe(ServerProcess server, DataDirectory directory, Path gcLog) {
    this.server = server;
    this.directory = directory;
    this.gcLog = gcLog;
  }

  /**
   * A look.
   *
   * @param heapBytes in use after the last collection
   * @param residentBytes memory of the process
   * @param openFiles files and sockets
   * @param threads of the process
   * @param diskBytes of its data directory
   */
  public record Holding(
      double heapBytes, double residentBytes, double openFiles, double threads, double diskBytes) {}

  /**
   * What was used so far.
   *
   * @param cpuNanos CPU time of the server since its start
   * @param networkBytes that the loopback interface of this machine carried since its start, of all
   *     programs
   */
  public record Used(double cpuNanos, double networkBytes) {}

  /** What was used until now. */
  public Used used() {
    return new Used(server.cpuNanos(), loopbackBytes(Path.of("/proc/net/dev")));
  }

  /** Bytes that were received on the loopback interface, as a file of Linux counts them. */
  static double loopbackBytes(Path interfaces) {
    try (Stream<String> lines = Files.lines(interfaces)) {
      return lines
          .map(String::strip)
          .filter(line -> line.startsWith(LOOPBACK))
          .mapToDouble(
              line ->
                  Double.parseDouble(line.substring(LOOPBACK.length()).strip().split(" ", 2)[0]))
          .findFirst()
          .orElse(NONE);
    } catch (IOException | UncheckedIOException notLinux) {
      return NONE;
    }
  }

  /** Looks. */
  public Holding look() throws IOException {
    double resident = server.residentBytes();
    return new Holding(
        heapBytes(gcLog),
        resident == 0 ? NONE : resident,
        openFiles(),
        threads(),
        directory.bytes());
  }

  /** Heap in use after the last collection that a log tells of; NaN before the first. */
  public static double heapBytes(Path gcLog) throws IOException {
    return heapBytes(tail(gcLog));
  }

  /** Of the last collection in that text. */
  static double heapBytes(String log) {
    Matcher matcher = COLLECTED.matcher(log);
    double bytes = NONE;
    while (matcher.find()) {
      bytes = Double.parseDouble(matcher.group(1)) * unitBytes(matcher.group(2));
    }
    return bytes;
  }

  private static long unitBytes(String unit) {
    return switch (unit) {
      case "K" -> 1L << 10;
      case "M" -> 1L << 20;
      default -> 1L << 30;
    };
  }

  private static String tail(Path file) throws IOException {
    if (!Files.exists(file)) {
      return "";
    }
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      channel.position(Math.max(0, channel.size() - TAIL_BYTES));
      ByteBuffer bytes = ByteBuffer.allocate(TAIL_BYTES);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // Until the end, or as much as there is room for.
      }
      return StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
    }
  }

  private double openFiles() {
    try (Stream<Path> files = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
      return files.count();
    } catch (IOException | UncheckedIOException notLinux) {
      return NONE;
    }
  }

  private double threads() {
    OptionalLong threads = JavaProgram.status(server.pid(), "Threads");
    return threads.isPresent() ? threads.getAsLong() : NONE;
  }
}
