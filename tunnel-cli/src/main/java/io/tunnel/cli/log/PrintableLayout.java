package io.tunnel.cli.log;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.pattern.ThreadConverter;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.tunnel.terminal.Printable;
import java.util.stream.Stream;

/**
 * Lines for people. Clients choose parts of messages and of exceptions, such as the tag of a worker
 * or the error of a processor; escaped, such a part neither begins a line of its own nor commands a
 * terminal.
 */
final class PrintableLayout extends PatternLayout {

  PrintableLayout(String pattern) {
    getInstanceConverterMap().put("msg", Message::new);
    getInstanceConverterMap().put("thread", ThreadName::new);
    getInstanceConverterMap().put("ex", Trace::new);
    setPattern(pattern + "%ex");
  }

  private static final class Message extends MessageConverter {
    @Override
    public String convert(ILoggingEvent event) {
      return Printable.of(String.valueOf(super.convert(event)));
    }
  }

  private static final class ThreadName extends ThreadConverter {
    @Override
    public String convert(ILoggingEvent event) {
      return Printable.of(super.convert(event));
    }
  }

  private static final class Trace extends ThrowableProxyConverter {
    @Override
    protected String throwableProxyToString(IThrowableProxy thrown) {
      return super.throwableProxyToString(new Shown(thrown));
    }
  }

  /** An exception whose message, and those of its causes, are printable. */
  private record Shown(IThrowableProxy thrown) implements IThrowableProxy {

    private static IThrowableProxy of(IThrowableProxy thrown) {
      return thrown == null ? null : new Shown(thrown);
    }

    @Override
    public String getMessage() {
      return thrown.getMessage() == null ? null : Printable.of(thrown.getMessage());
    }

    @Override
    public String getOverridingMessage() {
      String message = thrown.getOverridingMessage();
      return message == null ? null : Printable.of(message);
    }

    @Override
    public String getClassName() {
      return thrown.getClassName();
    }

    @Override
    public StackTraceElementProxy[] getStackTraceElementProxyArray() {
      return thrown.getStackTraceElementProxyArray();
    }

    @Override
    public int getCommonFrames() {
      return thrown.getCommonFrames();
    }

    @Override
    public IThrowableProxy getCause() {
      return of(thrown.getCause());
    }

    @Override
    public IThrowableProxy[] getSuppressed() {
      IThrowableProxy[] suppressed = thrown.getSuppressed();
      return suppressed == null
          ? null
          : Stream.of(suppressed).map(Shown::of).toArray(IThrowableProxy[]::new);
    }

    @Override
    public boolean isCyclic() {
      return thrown.isCyclic();
    }
  }
}
