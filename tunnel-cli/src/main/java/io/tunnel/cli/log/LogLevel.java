package io.tunnel.cli.log;

/** How much a logger writes: lines of this level, and of all levels before it. */
enum LogLevel {
  OFF,
  ERROR,
  WARN,
  INFO,
  DEBUG,
  TRACE
}
