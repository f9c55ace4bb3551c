package io.tunnel.bench.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A server that the launcher starts, which then becomes the server. */
final class LaunchedServer implements AutoCloseable {

  private static final String READY = "tunnel server listening on ";
  private static final long STOP_SECONDS_MAX = 60;

  private final Process process;
  private final String endpoint;
  private final long readyNanos;

  private LaunchedServer(Process process, String endpoint, long readyNanos) {
    this.process = process;
    this.endpoint = endpoint;
    this.readyNanos = readyNanos;
  }

  /** Returns when the server takes requests; its errors go to our standard error. */
  static LaunchedServer start(
      Path launcher, Path data, Map<String, String> environment, LongSupplier nanos)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                launcher.toString(),
                "server",
                "--data",
                data.toString(),
                "--port=0",
                "--http-port=0")
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    long startNanos = nanos.getAsLong();
    Process process = builder.start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (line == null || !line.startsWith(READY)) {
      process.destroyForcibly();
      throw new IOException("the server did not start; it printed: " + line);
    }
    return new LaunchedServer(
        process, line.substring(READY.length()).strip(), nanos.getAsLong() - startNanos);
  }

  String endpoint() {
    return endpoint;
  }

  /** From the start of the launcher until the server took requests. */
  double readyMs() {
    return readyNanos / 1e6;
  }

  /** User and system time of the process, the launcher's included. */
  long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  /** Stops the server gracefully, or at once when it takes longer than a minute. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
