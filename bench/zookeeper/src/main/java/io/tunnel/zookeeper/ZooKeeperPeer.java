package io.tunnel.zookeeper;

import io.tunnel.kafka.broker.ChildLibraries;
import io.tunnel.programs.bench.seeds.process.LoadPeer;
import io.tunnel.programs.bench.seeds.process.PeerJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Starts servers of ZooKeeper, and loads for them, with the libraries beside our classes. */
public final class ZooKeeperPeer implements LoadPeer {

  private static final String LIBRARIES = "zookeeper-libraries";
  private static final String NO_JMX = "-Dzookeeper.jmx.log4j.disable=true";

  /** For {@link java.util.ServiceLoader}. */
  public ZooKeeperPeer() {}

  @Override
  public String kind() {
    return "publish";
  }

  @Override
  public String name() {
    return "Apache ZooKeeper";
  }

  @Override
  public Servers start(Path directory, int servers, int heapMib, List<Path> libraries)
      throws IOException {
    Files.createDirectories(directory);
    String own = new ChildLibraries(ServerMain.class, LIBRARIES).classPath(directory);
    PeerJvm jvm = new PeerJvm(directory, heapMib);
    List<String> server = jvm.command();
    server.add(NO_JMX);
    server.add("-Xlog:gc:file=" + directory.resolve("gc-" + Ensemble.SERVER_NUMBER + ".log"));
    server.addAll(List.of("-cp", own, ServerMain.class.getName()));
    List<String> load = jvm.command();
    // Two threads for each connection.
    load.addAll(List.of(NO_JMX, "-Xss256k"));
    load.addAll(List.of("-cp", PeerJvm.classPath(own, libraries)));
    load.add(ZooKeeperLoadMain.class.getName());
    return Ensemble.start(directory, servers, server, load);
  }
}
