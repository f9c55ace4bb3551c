package io.tunnel.cli;

import static java.util.Map.entry;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.security.ProfileException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What the SDK throws, as the person at the terminal is told. */
final class ServiceDiagnosis implements Diagnosis {

  /** Of refusals that are not simply a command that failed. */
  private static final Map<ErrorCode, Integer> EXIT_CODES =
      Map.ofEntries(
          entry(ErrorCode.TABLE_NOT_FOUND, ExitCode.NOT_FOUND),
          entry(ErrorCode.TUNNEL_NOT_FOUND, ExitCode.NOT_FOUND),
          entry(ErrorCode.CHANNEL_NOT_FOUND, ExitCode.NOT_FOUND),
          entry(ErrorCode.CONDITION_FAILED, ExitCode.CONDITION_FAILED),
          entry(ErrorCode.BUSY, ExitCode.UNAVAILABLE),
          entry(ErrorCode.SHUTTING_DOWN, ExitCode.UNAVAILABLE),
          entry(ErrorCode.NOT_LEADER, ExitCode.UNAVAILABLE),
          entry(ErrorCode.LOG_UNAVAILABLE, ExitCode.UNAVAILABLE),
          entry(ErrorCode.STORAGE_FAILED, ExitCode.IO),
          entry(ErrorCode.INTERNAL, ExitCode.INTERNAL));

  @Override
  public Optional<CommandFailure> of(Throwable trouble) {
    boolean isWrapped =
        trouble instanceof CompletionException || trouble instanceof ExecutionException;
    if (isWrapped && trouble.getCause() != null) {
      return Diagnosis.standard().or(this).of(trouble.getCause());
    }
    if (trouble instanceof ProfileException unusable) {
      return Optional.of(CommandFailure.usage(unusable.getMessage()));
    }
    if (trouble instanceof RefusedException refused) {
      return Optional.of(
          new CommandFailure(exitCode(refused), refused.code().name(), refused.getMessage(), ""));
    }
    if (trouble instanceof ConnectionException lost) {
      String advice =
          lost.retriable()
              ? "Is a server running there? Start one with 'tunnel server', or name another with"
                  + " --server"
              : "";
      return Optional.of(
          new CommandFailure(ExitCode.UNAVAILABLE, "NOT_REACHABLE", lost.getMessage(), advice));
    }
    return Optional.empty();
  }

  private static int exitCode(RefusedException refused) {
    return EXIT_CODES.getOrDefault(refused.code(), ExitCode.FAILED);
  }
}
