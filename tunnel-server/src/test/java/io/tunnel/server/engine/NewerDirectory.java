package io.tunnel.server.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A data directory of a newer build. */
public final class NewerDirectory {

  private NewerDirectory() {}

  /** Opens it; fails unless the content of the directory stays unchanged. */
  public static String open(Path path) throws IOException {
    String format = "{\"format\":3,\"layout\":\"unknown\"}";
    Files.writeString(path.resolve("FORMAT"), format);
    try {
      DataDirectory.open(path, 1).close();
      return "opens";
    } catch (IOException e) {
      if (!Files.readString(path.resolve("FORMAT")).equals(format)) {
        return "changes";
      }
      throw e;
    }
  }
}
