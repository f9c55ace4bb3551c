package io.tunnel.artemis.queue;

import io.tunnel.kafka.broker.ChildLibraries;
import io.tunnel.programs.bench.seeds.process.LoadPeer;
import io.tunnel.programs.bench.seeds.process.PeerJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Starts Artemis, and loads for it, with the libraries that lie beside our classes. */
public final class ArtemisPeer implements LoadPeer {

  private static final String LIBRARIES = "artemis-libraries";

  /** For {@link java.util.ServiceLoader}. */
  public ArtemisPeer() {}

  @Override
  public String kind() {
    return "queue";
  }

  @Override
  public String name() {
    return "Apache ActiveMQ Artemis";
  }

  @Override
  public Servers start(Path directory, int servers, int heapMib, List<Path> libraries)
      throws IOException {
    Files.createDirectories(directory);
    String own = new ChildLibraries(ArtemisMain.class, LIBRARIES).classPath(directory);
    PeerJvm jvm = new PeerJvm(directory, heapMib);
    Path gcLog = directory.resolve("gc.log");
    List<String> broker = jvm.command();
    // What the start scripts of Artemis have.
    broker.addAll(List.of("-XX:+UseG1GC", "-XX:+UseStringDeduplication"));
    broker.addAll(List.of("-XX:AutoBoxCacheMax=20000", "-Xlog:gc:file=" + gcLog));
    broker.addAll(
        List.of("-cp", own, ArtemisMain.class.getName(), directory.resolve("data").toString()));
    List<String> load = jvm.command();
    load.addAll(List.of("-cp", PeerJvm.classPath(own, libraries)));
    load.add(JmsLoadMain.class.getName());
    return ArtemisProcess.start(broker, load, directory.resolve("broker.log"), gcLog);
  }
}
