package io.tunnel.cli.log;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Levels by logger; {@value #ROOT} is the level of all loggers without their own.
 *
 * @param byLogger of at most {@value #LOGGERS_MAX} loggers
 */
record LogLevels(Map<String, LogLevel> byLogger) {

  static final String ROOT = "root";
  static final int LOGGERS_MAX = 256;

  private static final Pattern LOGGER = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$.-]{0,254}");

  /** Keeps libraries quiet about their ordinary work. */
  private static final LogLevels LIBRARIES =
      new LogLevels(
          Map.of(
              "io.netty",
              LogLevel.WARN,
              // Kafka logs all settings of each new client, and each connection that a broker
              // closes.
              "org.apache.kafka",
              LogLevel.WARN,
              // Kafka warns at every placement that no member reads the topic of the group of
              // nodes.
              "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator",
              LogLevel.ERROR,
              // Every step of a job, and at its end every part that is closed.
              "org.apache.flink",
              LogLevel.ERROR,
              "org.apache.pekko",
              LogLevel.ERROR,
              "io.tunnel.flink",
              LogLevel.WARN));

  /** Refuses more loggers than anyone names. */
  LogLevels {
    if (byLogger.size() > LOGGERS_MAX) {
      throw new IllegalArgumentException(
          "at most " + LOGGERS_MAX + " loggers have a level, not " + byLogger.size());
    }
    byLogger = Map.copyOf(byLogger);
  }

  /** Where nothing else is said: {@code root} for ours, and at most {@code root} for libraries. */
  static LogLevels ordinary(LogLevel root) {
    Map<String, LogLevel> levels = new TreeMap<>();
    LIBRARIES
        .byLogger()
        .forEach((logger, level) -> levels.put(logger, level.compareTo(root) < 0 ? level : root));
    levels.put(ROOT, root);
    return new LogLevels(levels);
  }

  /**
   * Reads {@code LEVEL} and {@code LOGGER=LEVEL}, with commas between them; what is said later
   * wins.
   *
   * @throws IllegalArgumentException saying what would be right
   */
  static LogLevels parse(String text) {
    return parse(Arrays.asList(text.split(",", -1)));
  }

  /** Reads one level a line; skips empty lines and lines that begin with #. */
  static LogLevels parseLines(String text) {
    return parse(
        text.lines().filter(line -> !line.isBlank() && !line.strip().startsWith("#")).toList());
  }

  private static LogLevels parse(List<String> entries) {
    Map<String, LogLevel> levels = new TreeMap<>();
    for (String entry : entries) {
      int equals = entry.indexOf('=');
      String logger = equals < 0 ? ROOT : entry.substring(0, equals).strip();
      if (!LOGGER.matcher(logger).matches()) {
        throw new IllegalArgumentException(
            "'" + logger + "' is no logger, such as io.tunnel.server or root");
      }
      levels.put(logger, level(entry.substring(equals + 1).strip()));
    }
    return new LogLevels(levels);
  }

  private static LogLevel level(String text) {
    try {
      return LogLevel.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      String levels = Arrays.toString(LogLevel.values()).toLowerCase(Locale.ROOT);
      throw new IllegalArgumentException("'" + text + "' is no level; there are " + levels, e);
    }
  }

  /** These levels, overridden by {@code other}. */
  LogLevels with(LogLevels other) {
    Map<String, LogLevel> all = new TreeMap<>(byLogger);
    all.putAll(other.byLogger);
    return new LogLevels(all);
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return new TreeMap<>(byLogger).toString().replaceAll("[{} ]", "");
  }
}
