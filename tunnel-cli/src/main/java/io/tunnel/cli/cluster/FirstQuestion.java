package io.tunnel.cli.cluster;

import io.tunnel.server.backup.cluster.KafkaClusters;
import java.io.IOException;

/** What a command asks Kafka before it copies anything. */
@FunctionalInterface
interface FirstQuestion {

  /** Refuses a Kafka that does not answer, or a cluster that is not as the command needs it. */
  void ask(KafkaClusters clusters) throws IOException;
}
