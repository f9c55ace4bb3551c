package io.tunnel.programs.bench.seeds.process;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How the processes of a peer are started.
 *
 * @param directory where native libraries are unpacked, too
 * @param heapMib the most heap, in MiB
 */
public record PeerJvm(Path directory, int heapMib) {

  /** The beginning of a command, to be followed by more options, a class path and a main class. */
  public List<String> command() {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heapMib + "m",
            "-Djava.awt.headless=true",
            "-Djava.io.tmpdir=" + directory,
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
  }

  /** The class path of a load: that of the peer's own classes, and libraries. */
  public static String classPath(String own, List<Path> libraries) {
    return own
        + File.pathSeparator
        + libraries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
