package io.tunnel.server;

import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.config.ServerConfig.SecurityConfig;
import io.tunnel.server.disk.CannotStartException;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.node.ClusterEngine;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.StandardStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./tunnel server}. */
@Command(
    name = "server",
    mixinStandardHelpOptions = true,
    description = "Runs a server: tables, their changes, and tunnels, in one process.",
    footer = {
      "",
      "Examples:",
      "  tunnel server --data DIR",
      "  tunnel server --data DIR --host 10.0.0.5 --security SECURITY",
      "  tunnel server --data DIR --log kafka --bootstrap k1:9092,k2:9092,k3:9092 --node n1 \\",
      "      --host 10.0.0.5 --security SECURITY",
      "",
      "Prints 'tunnel server listening on HOST:PORT' and 'http on HOST:PORT' when it is ready.",
      "Stops gracefully on SIGTERM or Ctrl-C."
    })
public final class ServerCommand extends Job {

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Directory for everything that is stored; created if missing.")
  private Path data;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "JSON with settings that differ from the defaults, - for standard input; options win over"
              + " it.")
  private Path config;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "Address to listen on (default: 127.0.0.1).")
  private String host;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port for clients; 0 for any free one (default: 7650).")
  private Integer port;

  @Option(
      names = "--http-port",
      paramLabel = "N",
      description =
          "Port for /health and /metrics; 0 for any free one, -1 for none (default: 7651).")
  private Integer httpPort;

  @Option(
      names = "--insecure",
      description =
          "Allow an address that other machines reach, although clients are not authenticated.")
  private boolean isInsecure;

  @Option(
      names = "--security",
      paramLabel = "DIR",
      description =
          "Speak TLS and authenticate clients, by this security directory; 'tunnel security"
              + " init' makes one.")
  private Path security;

  @Option(
      names = "--auth",
      description = "Like --security with the directory 'security' in the data directory.")
  private boolean isAuthenticating;

  @Option(
      names = "--audit",
      paramLabel = "refused|changes|all",
      description =
          "Requests in the audit log beside those of administrators: requests that were refused"
              + " for want of a right (refused, the default), also requests that changed rows and"
              + " progress, or all.")
  private AuditTrail.Written audit;

  @Option(
      names = "--end-with-parent",
      description =
          "End at once, as if killed, when standard input ends: for a program that starts the server"
              + " and keeps the other end of the pipe.")
  private boolean isEndingWithParent;

  @ArgGroup(exclusive = false, heading = "%nTo be one of many nodes that share a log:%n")
  private ClusterOptions clusterOptions = new ClusterOptions();

  @Override
  public Integer call() throws InterruptedException {
    if (isEndingWithParent) {
      ParentWatch.start(System.in);
    }
    ServerConfig settings;
    Optional<ClusterConfig> cluster;
    try {
      settings = settings();
      cluster = clusterOptions.config(settings.net().host(), settings.log().kafka().sessionMs());
      if (cluster.isPresent()) {
        ClusterEngine.requireUsable(settings, cluster.get());
      }
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec().commandLine(), e.getMessage(), e);
    } catch (IOException e) {
      return fail(e.getMessage());
    }
    CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    try {
      exitCode.complete(serve(settings, cluster, exitCode));
      return exitCode.join();
    } finally {
      // After an exception, picocli chooses the exit code.
      exitCode.cancel(false);
    }
  }

  private int serve(
      ServerConfig settings, Optional<ClusterConfig> cluster, CompletableFuture<Integer> exitCode)
      throws InterruptedException {
    // Not a static field: listing this command's help would wait for the start of logging.
    Logger logger = LoggerFactory.getLogger(ServerCommand.class);
    try (Server server = open(settings, cluster)) {
      logger.info("configuration: {}", settings);
      cluster.ifPresent(
          part ->
              logger.info(
                  "{}, reached at {}", part, advertised(part, text(server.localAddress()))));
      CountDownLatch mustStop = new CountDownLatch(1);
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> stop(mustStop, exitCode, server.stopMsMax()), "stop"));
      server.failure().thenAccept(message -> mustStop.countDown());
      announce(server);
      mustStop.await();
      logger.info("stopping");
      if (server.failure().isDone()) {
        return fail(server.failure().join());
      }
    } catch (CannotStartException e) {
      switch (e.reason()) {
        case SETTINGS -> throw CommandFailure.usage(e.getMessage());
        case IN_USE -> throw new CommandFailure(ExitCode.UNAVAILABLE, "IN_USE", e.getMessage(), "");
      }
    } catch (IOException e) {
      return fail(e.getMessage());
    }
    return ExitCode.OK;
  }

  /** Opens a server with or without a cluster. */
  private Server open(ServerConfig settings, Optional<ClusterConfig> cluster) throws IOException {
    if (cluster.isPresent()) {
      return Server.node(data, settings, cluster.get());
    }
    return Server.alone(data, settings);
  }

  private static String advertised(ClusterConfig cluster, String local) {
    return cluster.advertised().orElse(local);
  }

  /** The settings of the file, or the defaults, where no option says otherwise. */
  ServerConfig settings() throws IOException {
    ServerConfig defaults = ServerConfig.defaults(Runtime.getRuntime().availableProcessors());
    ServerConfig base = config == null ? defaults : read(defaults);
    NetConfig net = base.net();
    NetConfig asked =
        new NetConfig(
            host == null ? net.host() : host,
            port == null ? net.port() : port,
            httpPort == null ? net.httpPort() : httpPort,
            net.threads(),
            net.connectionsMax(),
            isInsecure || net.isInsecure(),
            net.httpHosts(),
            net.limits());
    AuditTrail.Settings written = base.audit();
    return base.withNet(asked)
        .withSecurity(security(base))
        .withAudit(
            new AuditTrail.Settings(
                audit == null ? written.requests() : audit,
                written.bytesMax(),
                written.filesMax()));
  }

  private SecurityConfig security(ServerConfig base) {
    if (security != null) {
      return new SecurityConfig(security.toString());
    }
    return isAuthenticating
        ? new SecurityConfig(data.resolve("security").toString())
        : base.security();
  }

  private ServerConfig read(ServerConfig defaults) throws IOException {
    try {
      return defaults.withFile(StandardStream.device(config));
    } catch (IOException e) {
      throw new IOException(Diagnosis.ofFile(e), e);
    }
  }

  private void announce(Server server) {
    PrintWriter out = out();
    out.println("tunnel server listening on " + text(server.localAddress()));
    server.httpAddress().ifPresent(address -> out.println("http on " + text(address)));
    out.flush();
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  /**
   * Runs when the process ends. After a signal, the process lives until the server has stopped, and
   * then ends with the server's exit code instead of the JVM's code for a signal. A server that
   * does not stop in time is ended as it is.
   */
  private static void stop(
      CountDownLatch mustStop, CompletableFuture<Integer> exitCode, long stopMsMax) {
    if (!exitCode.isDone()) {
      mustStop.countDown();
      exitCode
          .copy()
          .completeOnTimeout(ExitCode.IO, stopMsMax, TimeUnit.MILLISECONDS)
          .thenAccept(Runtime.getRuntime()::halt)
          .exceptionally(e -> null)
          .join();
    }
  }

  private int fail(String message) {
    PrintWriter err = err();
    err.println("tunnel server: " + message);
    err.flush();
    return ExitCode.IO;
  }

  /**
   * Ends this process when its parent process has ended, even by SIGKILL: the pipe behind standard
   * input then ends. There is no graceful stop, because no one waits for it and the data on disk
   * withstands a crash.
   */
  private static final class ParentWatch {

    private static final int EXIT_CODE = 1;

    private ParentWatch() {}

    static void start(InputStream in) {
      Thread watch = new Thread(() -> await(in), "parent-watch");
      watch.setDaemon(true);
      watch.start();
    }

    private static void await(InputStream in) {
      try {
        while (in.read() >= 0) {
          // Input of the parent is ignored.
        }
      } catch (IOException broken) {
        // Counts as the end of input.
      }
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }
}
