package io.tunnel.it.process;

import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What a test starts, opens and writes: closed in the reverse order when the test is over, also
 * after a failure. After a failure the output of all processes is printed first. In a static field
 * it serves all tests of its class together, and of the classes nested in it.
 */
public final class Stage
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final List<Supplier<String>> witnesses = new ArrayList<>();
  private Path directory;
  private int names;

  /** Number of test classes that use this stage now: a class and its nested classes. */
  private int classes;

  private boolean hasFailed;

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    if (classes++ == 0) {
      begin();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    if (classes == 0) {
      begin();
    }
  }

  private void begin() throws IOException {
    directory = Files.createTempDirectory("tunnel-it");
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    hasFailed |= context.getExecutionException().isPresent();
    if (classes == 0) {
      end();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    hasFailed |= context.getExecutionException().isPresent();
    if (--classes == 0) {
      end();
    }
  }

  private void end() throws Exception {
    if (hasFailed) {
      witnesses.forEach(witness -> System.out.println(witness.get()));
    }
    Exception failure = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        failure = failure == null ? e : failure;
      }
    }
    witnesses.clear();
    delete(directory);
    if (failure != null) {
      throw failure;
    }
  }

  public static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** The resource, to be closed when the test is over. */
  public <T extends AutoCloseable> T closing(T resource) {
    closes(resource);
    return resource;
  }

  /** To be done when the test is over. */
  public synchronized void closes(AutoCloseable resource) {
    open.push(resource);
  }

  /** What is to be printed when a test has failed. */
  synchronized void hears(Supplier<String> witness) {
    witnesses.add(witness);
  }

  /** A path in the test's directory at which nothing is. */
  public synchronized Path path(String name) {
    return directory.resolve(name + "-" + ++names);
  }

  /** Starts a JVM. */
  public ChildProcess child(String name, String mainClass, List<String> arguments) {
    return child(name, ChildProcess.JVM_OPTIONS, mainClass, arguments);
  }

  /** Starts a JVM with options of its own. */
  public ChildProcess child(
      String name, List<String> jvmOptions, String mainClass, List<String> arguments) {
    return child(name, ChildProcess.CLASS_PATH, jvmOptions, mainClass, arguments);
  }

  /** Starts a JVM on a class path of its own. */
  synchronized ChildProcess child(
      String name,
      String classPath,
      List<String> jvmOptions,
      String mainClass,
      List<String> arguments) {
    ChildProcess child =
        closing(
            ChildProcess.start(name + "-" + ++names, classPath, jvmOptions, mainClass, arguments));
    hears(child::transcript);
    return child;
  }

  /** A running server on a new directory. */
  public ServerProcess server(String... options) {
    return new ServerProcess(this, path("data"), List.of(options)).start();
  }

  /** A running server on a new directory that asks clients for a key. */
  public ServerProcess closedServer() {
    return new ServerProcess(this, path("data"), List.of()).closed(path("security")).start();
  }

  /** A running server that asks clients for a key; the tests' clients have key and rights. */
  public ServerProcess guardedServer() {
    try {
      Path directory = Files.createDirectory(path("closed")).resolve("security");
      return new ServerProcess(this, path("data"), List.of())
          .closed(directory)
          .start()
          .withRights();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A running server in a JVM as {@code ./tunnel server} starts it. */
  public ServerProcess shippedServer(String... options) {
    return new ServerProcess(this, path("data"), List.of(options))
        .with(List.of("-Xmx1g", "-XX:+ExitOnOutOfMemoryError", "-XX:+ExplicitGCInvokesConcurrent"))
        .start();
  }

  public TableClient tables(Service service) {
    return closing(TableClient.connect(service.client()));
  }

  public TunnelClient tunnels(Service service) {
    return closing(new TunnelClient(service.client()));
  }
}
