package io.tunnel.server.replica;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A directory has replicas of a different log than the node is configured for. The node does not
 * delete the replicas: they may be the last copy of their log.
 */
final class OtherLogException extends IOException {

  private static final long serialVersionUID = 1L;

  OtherLogException(Path directory, String theirs, String given) {
    super(
        "%s has replicas of %s, but this is %s. Are --bootstrap and --cluster right? If the former log is lost, restore it from a backup of Kafka. To give these replicas up, delete %s; to keep them, give another directory with --data"
            .formatted(directory, theirs, given, directory));
  }
}
