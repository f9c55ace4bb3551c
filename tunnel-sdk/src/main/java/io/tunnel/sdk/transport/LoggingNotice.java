package io.tunnel.sdk.transport;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Tells once per process that the SDK's log goes nowhere, because SLF4J has no provider. SLF4J's
 * own notice does not name the missing messages, nor a remedy. A program that silences logging on
 * purpose, with {@code slf4j-nop}, gets no notice.
 */
final class LoggingNotice {

  static final String TEXT =
      "tunnel-sdk: no logging backend, so lost connections, failing processors and stopped channels"
          + " are not logged anywhere. Add one, org.slf4j:slf4j-simple or"
          + " ch.qos.logback:logback-classic, or org.slf4j:slf4j-nop if that is meant.";

  static {
    if (isMissing()) {
      System.err.println(TEXT);
    }
  }

  private LoggingNotice() {}

  /** The first call gives the notice if needed; further calls do nothing. */
  static void give() {
    // The class is initialised once.
  }

  private static boolean isMissing() {
    if (!(LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory)
        || System.getProperty("slf4j.provider") != null) {
      return false;
    }
    ClassLoader ofSlf4j = LoggerFactory.class.getClassLoader();
    try {
      return !ServiceLoader.load(SLF4JServiceProvider.class, ofSlf4j).iterator().hasNext();
    } catch (ServiceConfigurationError broken) {
      return false; // SLF4J has said what is broken.
    }
  }
}
