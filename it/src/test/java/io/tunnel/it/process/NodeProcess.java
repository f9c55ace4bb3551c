package io.tunnel.it.process;

import io.tunnel.fixtures.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A node of a cluster: a process, and the only two ways that lead to it and from it. Clients of the
 * node come through a proxy, whose address is the node's address in the cluster. The proxy refuses
 * connections while the process does not run; it reaches Kafka through the other.
 */
public final class NodeProcess implements Service {

  private final String name;
  private final ServerProcess process;
  private final TcpProxy toClients;
  private final Road toKafka;

  /**
   * A node that is not started.
   *
   * @param options those of its cluster
   */
  public NodeProcess(Stage stage, String name, Path data, Road toKafka, List<String> options) {
    this.name = name;
    this.toKafka = toKafka;
    int port = FreePort.find();
    toClients = stage.closing(new TcpProxy(port));
    toClients.cut();
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of("--log", "kafka", "--node", name));
    all.addAll(List.of("--bootstrap", toKafka.bootstrap()));
    all.addAll(List.of("--advertise", endpoint()));
    process = new ServerProcess(stage, name, data, port, all);
  }

  public String name() {
    return name;
  }

  /** The address under which the cluster knows it. */
  @Override
  public String endpoint() {
    return "127.0.0.1:" + toClients.port();
  }

  /** Behind the proxy: where it is reached also when its clients do not reach it. */
  public int directPort() {
    return process.port();
  }

  /** Where its pages are; behind the proxy. */
  public int httpPort() {
    return process.httpPort();
  }

  public Path data() {
    return process.data();
  }

  /** From its next start on the node is of that build. */
  public void of(Build build) {
    var unused = process.of(build);
  }

  /** Starts it; it is ready when that was waited for. */
  public void begin() {
    toClients.resume();
    process.begin();
  }

  /** Returns when it serves. */
  public void awaitReady() {
    var unused = process.awaitReady();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public ChildProcess child() {
    return process.child();
  }

  /** What it does with its clients. */
  public TcpProxy toClients() {
    return toClients;
  }

  /** What it does with Kafka. */
  public Road toKafka() {
    return toKafka;
  }

  /** Stops it gracefully. */
  public void stop() {
    process.stop();
    toClients.cut();
  }

  /** Ends it as a crash would. */
  public void kill() {
    process.kill();
    toClients.cut();
  }

  /** It stands still, and its connections stay. */
  public void suspend() {
    process.suspend();
  }

  /** It goes on as if no time had passed. */
  public void resume() {
    process.resume();
  }

  /** The body of an HTTP page, which must be served with {@code status}. */
  public String http(String path, int status) {
    return process.http(path, status);
  }

  /** Deletes everything that it stored; it must not run. */
  public void deleteData() {
    try {
      Stage.delete(data());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
