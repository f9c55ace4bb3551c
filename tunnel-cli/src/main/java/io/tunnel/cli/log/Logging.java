package io.tunnel.cli.log;

import ch.qos.logback.classic.LoggerContext;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/**
 * Decides how a command logs before it runs. A command with {@link LogOptions} logs as they say,
 * any other logs trouble to standard error, and with {@code --verbose} more.
 */
public final class Logging implements IExecutionStrategy {

  /** The environment's variable for levels, in the words of {@code --log-level}. */
  static final String VARIABLE = "TUNNEL_LOG";

  private static final String MIXIN = "logging";
  private static final String LEVELS_FILE_DEFAULT = "log-levels";
  private static final long LOOK_MS = 2_000;

  /**
   * What the command line said. SLF4J makes the backend whenever the first logger is asked for, and
   * the backend makes its configurator itself, which therefore finds the settings here.
   */
  private static final AtomicReference<Optional<LogSettings>> SETTINGS =
      new AtomicReference<>(Optional.empty());

  private final Map<String, String> environment;

  /**
   * Reads the rest from {@code environment}.
   *
   * @param environment as {@link System#getenv()}
   */
  public Logging(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** Gives {@code server}, a subcommand, the options of a program that runs for long. */
  public static void equip(CommandLine server) {
    server
        .getCommandSpec()
        .addMixin(MIXIN, CommandLine.Model.CommandSpec.forAnnotatedObject(new LogOptions()));
  }

  /** How to log; where no command line said so, as in tests, as the environment says. */
  static LogSettings settings() {
    return SETTINGS
        .get()
        .orElseGet(
            () -> LogSettings.toStandardError(levels(LogLevel.INFO, System.getenv(VARIABLE))));
  }

  private static LogLevels levels(LogLevel root, String more) {
    LogLevels ordinary = LogLevels.ordinary(root);
    try {
      return more == null || more.isBlank() ? ordinary : ordinary.with(LogLevels.parse(more));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(VARIABLE + ": " + e.getMessage(), e);
    }
  }

  @Override
  public int execute(ParseResult parsed) {
    List<CommandLine> chosen = parsed.asCommandLineList();
    CommandLine command = chosen.get(chosen.size() - 1);
    if (!command.isUsageHelpRequested() && !command.isVersionHelpRequested()) {
      try {
        decide(command);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(command, e.getMessage(), e);
      } catch (IOException e) {
        CommandFailure failure = CommandFailure.io(e.getMessage());
        throw new ExecutionException(command, failure.getMessage(), failure);
      }
    }
    return new RunLast().execute(parsed);
  }

  private void decide(CommandLine command) throws IOException {
    String variable = environment.get(VARIABLE);
    CommandLine.Model.CommandSpec mixin = command.getCommandSpec().mixins().get(MIXIN);
    if (mixin == null) {
      LogLevel quiet =
          command.getCommand() instanceof ExpectsTrouble ? LogLevel.OFF : LogLevel.WARN;
      LogLevel root = CommandRunner.isVerbose(command) ? LogLevel.INFO : quiet;
      SETTINGS.set(Optional.of(LogSettings.toStandardError(levels(root, variable))));
      return;
    }
    LogOptions options = (LogOptions) mixin.userObject();
    LogLevels levels =
        options.levels().isPresent()
            ? LogLevels.ordinary(LogLevel.INFO).with(options.levels().get())
            : levels(LogLevel.INFO, variable);
    LevelsFile file = new LevelsFile(options.levelsFile().orElseGet(() -> levelsFile(command)));
    LogLevels begun = levels;
    Optional<Exception> wrong = Optional.empty();
    try {
      begun = file.look().map(levels::with).orElse(levels);
    } catch (IOException | IllegalArgumentException e) {
      // As harmless as while the program runs, or a slip of then would keep it from its next start.
      wrong = Optional.of(e);
    }
    LogSettings settings = options.settings(begun);
    if (settings.file().isPresent()) {
      requireWritable(settings.file().get().path());
    }
    SETTINGS.set(Optional.of(settings));
    wrong.ifPresent(
        e ->
            LoggerFactory.getLogger(Logging.class)
                .warn("levels are those without their file: {}", e.getMessage()));
    watch(file, levels);
  }

  private static Path levelsFile(CommandLine command) {
    OptionSpec data = command.getCommandSpec().findOption("--data");
    return data.<Path>getValue().resolve(LEVELS_FILE_DEFAULT);
  }

  private static void requireWritable(Path file) throws IOException {
    try {
      Path parent = file.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
    } catch (IOException e) {
      throw new IOException("cannot log to '" + file + "': " + Diagnosis.ofFile(e), e);
    }
  }

  private static void watch(LevelsFile file, LogLevels without) {
    ScheduledExecutorService looks =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "log-levels");
              thread.setDaemon(true);
              return thread;
            });
    var unused =
        looks.scheduleWithFixedDelay(
            () -> look(file, without), LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  /** Applies what the file says now; a file that is wrong changes nothing. */
  private static void look(LevelsFile file, LogLevels without) {
    Logger logger = LoggerFactory.getLogger(Logging.class);
    try {
      file.look()
          .ifPresent(
              said -> {
                LogLevels levels = without.with(said);
                LogbackConfigurator.apply(
                    (LoggerContext) LoggerFactory.getILoggerFactory(), levels);
                logger.info("levels are now {}", levels);
              });
    } catch (IOException | RuntimeException e) {
      logger.warn("levels stay as they are: {}", e.getMessage());
    }
  }
}
