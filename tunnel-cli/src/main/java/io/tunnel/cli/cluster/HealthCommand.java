package io.tunnel.cli.cluster;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.options.DurationConverter;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code tunnel health}: what a container's engine or a supervisor asks every few seconds, so it
 * loads nothing but the JDK.
 */
@Command(
    name = "health",
    mixinStandardHelpOptions = true,
    description = "Asks a server whether it is healthy; exit code 0 means that it is.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel health",
      "  tunnel health --http 127.0.0.1:7751 --timeout 1s",
      "  tunnel health --authority security/authority.crt"
    })
public final class HealthCommand extends Job {

  private static final int PAGE_BYTES_MAX = 64 << 10;
  private static final Duration TIMEOUT_MAX = Duration.ofHours(1);

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:TUNNEL_HTTP:-127.0.0.1:7651}",
      description =
          "The server's port for health and metrics (default: TUNNEL_HTTP of the environment, or"
              + " 127.0.0.1:7651).")
  private String http;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "3s",
      converter = DurationConverter.class,
      description = "Silence that counts as unhealthy (default: ${DEFAULT-VALUE}).")
  private Duration timeout;

  @Option(
      names = "--authority",
      paramLabel = "FILE",
      defaultValue = "${env:TUNNEL_AUTHORITY}",
      description =
          "Ask a server with TLS, whose certificate has to be of this authority: its security"
              + " directory's authority.crt (default: TUNNEL_AUTHORITY of the environment).")
  private String authority;

  /** For picocli. */
  HealthCommand() {}

  @Override
  public Integer call() {
    if (timeout.toMillis() < 1 || timeout.compareTo(TIMEOUT_MAX) > 0) {
      throw CommandFailure.usage("--timeout is 1ms to 1h, not " + timeout);
    }
    URI page = page();
    try {
      out().println(healthy(page));
      return ExitCode.OK;
    } catch (IOException e) {
      String reason = e.getMessage() == null ? e.toString() : e.getMessage();
      throw new CommandFailure(ExitCode.UNAVAILABLE, page + ": " + inWords(reason));
    }
  }

  /** The JDK says no more of an answer that is not HTTP, such as one of the port of clients. */
  private static String inWords(String reason) {
    return reason.equals("Invalid Http response")
        ? "it does not answer in HTTP: give the port of the server's --http-port, and not the one"
            + " of clients"
        : reason;
  }

  private boolean isTls() {
    return authority != null && !authority.isEmpty();
  }

  private URI page() {
    try {
      URI page = URI.create((isTls() ? "https://" : "http://") + http + "/health");
      if (page.getHost() != null && page.getPort() > 0) {
        return page;
      }
    } catch (IllegalArgumentException notAnAddress) {
      // Said below.
    }
    throw CommandFailure.usage("--http '" + http + "' is not HOST:PORT, such as 127.0.0.1:7651");
  }

  private String healthy(URI page) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection();
    connection.setConnectTimeout((int) timeout.toMillis());
    connection.setReadTimeout((int) timeout.toMillis());
    connection.setInstanceFollowRedirects(false);
    if (connection instanceof HttpsURLConnection secured) {
      secured.setSSLSocketFactory(TrustedSockets.of(Path.of(authority)));
    }
    try {
      int status = connection.getResponseCode();
      try (InputStream body =
          status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
        String text =
            body == null
                ? ""
                : new String(body.readNBytes(PAGE_BYTES_MAX), StandardCharsets.UTF_8).strip();
        if (status != HttpURLConnection.HTTP_OK) {
          throw new IOException("not healthy, status " + status + ": " + text);
        }
        return text;
      }
    } finally {
      connection.disconnect();
    }
  }
}
