package io.tunnel.server.rocks;

import org.rocksdb.InfoLogLevel;
import org.rocksdb.Logger;
import org.slf4j.LoggerFactory;

/**
 * What RocksDB says of trouble, in the log of the server. RocksDB would write a file next to each
 * store instead, which it starts again only when the store is opened. It calls from threads of its
 * own.
 */
final class RocksLog extends Logger {

  private static final org.slf4j.Logger LOGGER = LoggerFactory.getLogger("org.rocksdb");

  private final String store;

  /** Says {@code store} before every line. */
  RocksLog(String store) {
    this(store, InfoLogLevel.WARN_LEVEL);
  }

  /** The log of a store, of what is at least as bad as {@code level}. */
  RocksLog(String store, InfoLogLevel level) {
    super(level);
    this.store = store;
  }

  @Override
  protected void log(InfoLogLevel level, String line) {
    switch (level) {
      case ERROR_LEVEL, FATAL_LEVEL -> LOGGER.error("{}: {}", store, line);
      case WARN_LEVEL -> LOGGER.warn("{}: {}", store, line);
      case DEBUG_LEVEL, INFO_LEVEL, HEADER_LEVEL, NUM_INFO_LOG_LEVELS ->
          LOGGER.debug("{}: {}", store, line);
    }
  }
}
