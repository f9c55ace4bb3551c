package io.tunnel.cli.cluster;

import io.tunnel.server.backup.cluster.NoSuchClusterException;
import io.tunnel.server.backup.cluster.RestoreRunsException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.kafka.LogUnavailableException;
import io.tunnel.server.replica.append.LogSilentException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;

/** What the failure of a command that uses Kafka means to the person at the terminal. */
final class KafkaFailure {

  private KafkaFailure() {}

  /** The failure, with an exit code that says whether a repetition may help. */
  static CommandFailure of(IOException failure) {
    return new CommandFailure(exitCode(failure), Diagnosis.ofFile(failure));
  }

  private static int exitCode(IOException failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof LogUnavailableException
          || each instanceof LogSilentException
          || each instanceof StoreUnavailableException
          || each instanceof RestoreRunsException) {
        return ExitCode.UNAVAILABLE;
      }
      if (each instanceof NoSuchClusterException) {
        return ExitCode.NOT_FOUND;
      }
    }
    return ExitCode.FAILED;
  }
}
