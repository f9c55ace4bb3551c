package io.tunnel.cli;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.ParseResult;

/**
 * Says so where a subcommand needs the Kafka broker that comes with the sources, and is neither in
 * the image nor in the archive of a release. No class of it may be needed before a subcommand runs.
 */
final class BrokerBeside implements IExecutionStrategy {

  private static final String CLASSES = "io/tunnel/kafka/broker/";

  private final IExecutionStrategy strategy;

  /** Runs subcommands as {@code strategy} does. */
  BrokerBeside(IExecutionStrategy strategy) {
    this.strategy = strategy;
  }

  @Override
  public int execute(ParseResult parsed) {
    try {
      return strategy.execute(parsed);
    } catch (NoClassDefFoundError e) {
      if (e.getMessage() == null || !e.getMessage().startsWith(CLASSES)) {
        throw e;
      }
      List<CommandLine> chosen = parsed.asCommandLineList();
      CommandFailure failure =
          new CommandFailure(
              ExitCode.UNAVAILABLE,
              "this needs a Kafka broker of its own, which is not beside this program, as in the"
                  + " image and in the archive of a release: run it where the sources are, or name"
                  + " servers that run, with --server or --kafka");
      throw new ExecutionException(chosen.get(chosen.size() - 1), failure.getMessage(), failure);
    }
  }
}
