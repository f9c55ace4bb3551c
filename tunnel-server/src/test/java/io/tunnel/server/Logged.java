package io.tunnel.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Keeps the lines of loggers while open, at every level. */
public final class Logged implements AutoCloseable {

  private final Logger logger;
  private final Level levelBefore;
  private final Kept kept = new Kept();

  private static final class Kept extends AppenderBase<ILoggingEvent> {
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      events.add(event);
    }
  }

  private Logged(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    levelBefore = logger.getLevel();
    logger.setLevel(Level.DEBUG);
    kept.start();
    logger.addAppender(kept);
  }

  /** Of a class. */
  public static Logged of(Class<?> type) {
    return new Logged(type.getName());
  }

  /** Of everything. */
  public static Logged all() {
    return new Logged(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  /** What was said at that level. */
  public List<String> at(Level level) {
    return kept.events.stream()
        .filter(event -> event.getLevel().equals(level))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** How many lines have a stack trace. */
  public long traces() {
    return kept.events.stream().filter(event -> event.getThrowableProxy() != null).count();
  }

  /** Forgets what was said. */
  public void clear() {
    kept.events.clear();
  }

  @Override
  public void close() {
    logger.detachAppender(kept);
    logger.setLevel(levelBefore);
  }
}
