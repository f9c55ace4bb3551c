package io.tunnel.server.replica;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whose replicas a directory has, as its file {@code identity} says.
 *
 * @param log whose replicas these are
 * @param catalog origin of the catalog that the partitions are of
 * @param shards that the replicas are spread over
 */
public record ReplicasIdentity(String log, Bytes catalog, int shards) {

  private static final String FILE = "identity";
  private static final Pattern TEXT =
      Pattern.compile("replicas 1\n(.*)\nshards (\\d{1,4})\ncatalog ([0-9a-f]{2,510})\n");

  /** Reads the file; empty if the file is missing or was not written to its end. */
  public static Optional<ReplicasIdentity> read(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    Matcher text = TEXT.matcher(Files.readString(file));
    return text.matches()
        ? Optional.of(
            new ReplicasIdentity(
                text.group(1), Bytes.fromHex(text.group(3)), Integer.parseInt(text.group(2))))
        : Optional.empty();
  }

  void write(Path directory) throws IOException {
    String text = "replicas 1\n" + log + "\nshards " + shards + "\ncatalog " + catalog + "\n";
    PrivateFiles.write(
        directory.resolve(FILE),
        text,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
  }

  static void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(FILE));
  }

  /**
   * Throws when these replicas are of something else than {@code now} says, so that nothing is made
   * or deleted because a node was pointed at the wrong log, or at one that has lost its catalog.
   */
  public void requireSame(Path directory, ReplicasIdentity now) throws OtherLogException {
    requireLog(directory, now.log);
    if (!catalog.equals(now.catalog)) {
      throw new OtherLogException(
          directory,
          "catalog " + catalog + " of " + log,
          "catalog " + now.catalog + ", so the former was lost");
    }
  }

  /** Throws when these replicas are of another log than {@code now}. */
  public void requireLog(Path directory, String now) throws OtherLogException {
    if (!log.equals(now)) {
      throw new OtherLogException(directory, log, now);
    }
  }
}
