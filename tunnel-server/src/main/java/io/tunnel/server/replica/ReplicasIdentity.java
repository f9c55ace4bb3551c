package io.tunnel.server.replica;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whose replicas a directory has, as its file {@code identity} says.
 *
 * @param log whose replicas these are
 * @param catalog origin of the catalog that the partitions are of
 * @param shards that the replicas are spread over
 */
public record ReplicasIdentity(String log, Bytes catalog, int shards) {

  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicasIdentity.class);
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

  /**
   * Makes a directory the one of these replicas. Deletes what the directory has of another number
   * of shards, or of a start that was broken off.
   *
   * @throws IOException when the directory has replicas of another log; nothing was changed
   */
  public void claim(Path directory) throws IOException {
    PrivateFiles.createDirectories(directory);
    Optional<ReplicasIdentity> former = read(directory);
    if (former.isPresent()) {
      former.get().requireSame(directory, this);
    }
    if (!former.map(ReplicasIdentity::shards).equals(Optional.of(shards))) {
      Files.deleteIfExists(directory.resolve(FILE));
      deleteAllIn(directory);
    }
    if (!former.equals(Optional.of(this))) {
      write(directory);
    }
  }

  private static void deleteAllIn(Path directory) throws IOException {
    List<Path> left;
    try (Stream<Path> files = Files.list(directory)) {
      left = files.toList();
    }
    if (!left.isEmpty()) {
      LOGGER.warn(
          "{} has replicas for another number of shards, or of a start that was broken off; deletes"
              + " them, and reads the shared log again",
          directory);
    }
    for (Path path : left) {
      PrivateFiles.deleteAll(path);
    }
  }

  private void write(Path directory) throws IOException {
    String text = "replicas 1\n" + log + "\nshards " + shards + "\ncatalog " + catalog + "\n";
    PrivateFiles.write(
        directory.resolve(FILE),
        text,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
  }

  /**
   * Throws when these replicas are of something else than {@code now} says, so that nothing is made
   * or deleted because a node was pointed at the wrong log, or at one that has lost its catalog.
   */
  public void requireSame(Path directory, ReplicasIdentity now) throws IOException {
    requireLog(directory, now.log);
    if (!catalog.equals(now.catalog)) {
      throw otherLog(
          directory,
          "catalog " + catalog + " of " + log,
          "catalog " + now.catalog + ", so the former was lost");
    }
  }

  /** Throws when these replicas are of another log than {@code now}. */
  public void requireLog(Path directory, String now) throws IOException {
    if (!log.equals(now)) {
      throw otherLog(directory, log, now);
    }
  }

  /** The node does not delete replicas of another log: they may be the last copy of their log. */
  private static IOException otherLog(Path directory, String theirs, String given) {
    return new IOException(
        "%s has replicas of %s, but this is %s. Are --bootstrap and --cluster right? If the former log is lost, restore it from a backup of Kafka. To give these replicas up, delete %s; to keep them, give another directory with --data"
            .formatted(directory, theirs, given, directory));
  }
}
