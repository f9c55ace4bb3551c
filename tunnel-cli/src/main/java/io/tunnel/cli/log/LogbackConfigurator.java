package io.tunnel.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Sets up Logback without XML, when the first logger is asked for; found by Logback as a service.
 */
public final class LogbackConfigurator extends ContextAwareBase implements Configurator {

  private static final String LINE =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} [%thread] %level %logger{0} - %msg%n";

  /** For Logback. */
  public LogbackConfigurator() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    configure(context, Logging.settings());
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  static void configure(LoggerContext context, LogSettings settings) {
    // Trouble of the logging itself, such as a full disk, can only be told elsewhere.
    context
        .getStatusManager()
        .add(
            status -> {
              if (status.getEffectiveLevel() >= Status.WARN) {
                System.err.println("logging: " + status);
              }
            });
    OutputStreamAppender<ILoggingEvent> appender =
        settings.file().map(file -> rotated(context, file)).orElseGet(LogbackConfigurator::stderr);
    EncoderBase<ILoggingEvent> encoder = settings.isJson() ? json() : text(context);
    encoder.setContext(context);
    encoder.start();
    appender.setName("log");
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).addAppender(appender);
    apply(context, settings.levels());
  }

  private static OutputStreamAppender<ILoggingEvent> stderr() {
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setTarget("System.err");
    return appender;
  }

  private static OutputStreamAppender<ILoggingEvent> rotated(
      LoggerContext context, LogSettings.Rotated file) {
    RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
    appender.setFile(file.path().toString());
    RotatedFiles policy = new RotatedFiles(file);
    policy.setContext(context);
    policy.setParent(appender);
    policy.start();
    appender.setRollingPolicy(policy);
    return appender;
  }

  private static EncoderBase<ILoggingEvent> text(LoggerContext context) {
    PrintableLayout layout = new PrintableLayout(LINE);
    layout.setContext(context);
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setLayout(layout);
    encoder.setCharset(StandardCharsets.UTF_8);
    return encoder;
  }

  private static EncoderBase<ILoggingEvent> json() {
    JsonEncoder encoder = new JsonEncoder();
    encoder.setWithContext(false);
    encoder.setWithSequenceNumber(false);
    encoder.setWithNanoseconds(false);
    encoder.setWithMarkers(false);
    encoder.setWithMDC(false);
    encoder.setWithMessage(false);
    encoder.setWithArguments(false);
    encoder.setWithFormattedMessage(true);
    return encoder;
  }

  /** Sets the level of every logger to {@code levels}, and removes all other levels. */
  static void apply(LoggerContext context, LogLevels levels) {
    Map<String, LogLevel> left = new HashMap<>(levels.byLogger());
    LogLevel root = left.remove(LogLevels.ROOT);
    Logger rootLogger = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    rootLogger.setLevel(root == null ? Level.INFO : level(root));
    for (Logger logger : context.getLoggerList()) {
      if (logger != rootLogger) {
        LogLevel wanted = left.remove(logger.getName());
        logger.setLevel(wanted == null ? null : level(wanted));
      }
    }
    left.forEach((name, level) -> context.getLogger(name).setLevel(level(level)));
  }

  private static Level level(LogLevel level) {
    return switch (level) {
      case OFF -> Level.OFF;
      case ERROR -> Level.ERROR;
      case WARN -> Level.WARN;
      case INFO -> Level.INFO;
      case DEBUG -> Level.DEBUG;
      case TRACE -> Level.TRACE;
    };
  }
}
