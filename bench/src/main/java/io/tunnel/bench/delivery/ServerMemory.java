package io.tunnel.bench.delivery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The memory of a server that runs as a process. */
record ServerMemory(long pid) {

  /** Bytes of live objects, after a full collection. */
  long liveHeap() throws IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String total =
        text.lines()
            .filter(line -> line.startsWith("Total"))
            .findFirst()
            .orElseThrow(() -> new IOException("jcmd said: " + text));
    return number(total, 1);
  }

  /** Bytes of memory that the process has, garbage included. */
  long resident() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return number(line, 0) * 1024;
      }
    }
    throw new IOException("no VmRSS of process " + pid);
  }

  /** The number at that place among the numbers of a line. */
  private static long number(String line, int place) {
    return Pattern.compile("\\d+")
        .matcher(line)
        .results()
        .skip(place)
        .findFirst()
        .map(found -> Long.parseLong(found.group()))
        .orElseThrow();
  }
}
