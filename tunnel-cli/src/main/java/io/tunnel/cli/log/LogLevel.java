package io.tunnel.cli.log;

/** How much a logger writes: lines of this level and of the levels above. The quietest is first. */
enum LogLevel {
  OFF,
  ERROR,
  WARN,
  INFO,
  DEBUG,
  TRACE
}
