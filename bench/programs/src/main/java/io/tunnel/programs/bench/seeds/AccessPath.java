package io.tunnel.programs.bench.seeds;

import java.util.Arrays;
import java.util.List;

/** How a client reaches a server. */
enum AccessPath {
  /** The server is embedded in the JVM of its clients; connections are those of loopback. */
  IN_PROCESS("inProcess"),
  /** The server is a process of its own. */
  TCP("tcp"),
  /** The same behind TLS, where each connection also proves an access key. */
  TLS("tls");

  private final String word;

  AccessPath(String word) {
    this.word = word;
  }

  /** All, as files name them. */
  static List<String> words() {
    return Arrays.stream(values()).map(path -> path.word).toList();
  }

  /** The path that files name so. */
  static AccessPath named(String word) {
    return Arrays.stream(values()).filter(path -> path.word.equals(word)).findFirst().orElseThrow();
  }
}
