package io.tunnel.cli.log;

/** How much a logger says: its own kind of line, and those of all levels before it. */
enum LogLevel {
  OFF,
  ERROR,
  WARN,
  INFO,
  DEBUG,
  TRACE
}
