package io.tunnel.zookeeper;

import io.tunnel.kafka.broker.ChildLibraries;
import io.tunnel.programs.bench.seeds.process.LoadPeer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Starts servers of ZooKeeper, and loads for them, with the libraries beside our classes. */
public final class ZooKeeperPeer implements LoadPeer {

  private static final String LIBRARIES = "zookeeper-libraries";

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
    List<String> server = java(directory, heapMib);
    server.add("-Xlog:gc:file=" + directory.resolve("gc-" + Ensemble.SERVER_NUMBER + ".log"));
    server.addAll(List.of("-cp", own, ServerMain.class.getName()));
    List<String> load = java(directory, heapMib);
    // Two threads for each connection.
    load.add("-Xss256k");
    load.addAll(List.of("-cp", own + File.pathSeparator + joined(libraries)));
    load.add(ZooKeeperLoadMain.class.getName());
    return Ensemble.start(directory, servers, server, load);
  }

  private static List<String> java(Path directory, int heapMib) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heapMib + "m",
            "-Djava.awt.headless=true",
            // Snappy unpacks a native library there.
            "-Djava.io.tmpdir=" + directory,
            "-Dzookeeper.jmx.log4j.disable=true",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
  }

  private static String joined(List<Path> libraries) {
    return libraries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
