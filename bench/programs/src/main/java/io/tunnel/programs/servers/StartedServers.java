package io.tunnel.programs.servers;

/**
 * The servers that a program has started; they end when this object is closed, or with this
 * process.
 */
public interface StartedServers extends AutoCloseable {

  /** Where clients connect, as {@code HOST:PORT}, or several of them with commas between them. */
  String endpoint();

  /** Where the first server answers over HTTP, as {@code HOST:PORT}. */
  String httpAddress();

  /** CPU time of all servers so far; zero where the system does not report it. */
  long cpuNanos();

  /** Memory that the servers hold, in bytes; zero where the system does not say as Linux does. */
  long residentBytes();

  @Override
  void close();
}
