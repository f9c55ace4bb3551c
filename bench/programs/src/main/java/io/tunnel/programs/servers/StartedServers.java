package io.tunnel.programs.servers;

/** What a program has started to run on; it ends when this is closed, or with this process. */
public interface StartedServers extends AutoCloseable {

  /** Where clients connect, as {@code HOST:PORT}, or several of them with commas between them. */
  String endpoint();

  /** CPU time that all of it used so far; zero where the system does not say. */
  long cpuNanos();

  /** Memory that the servers hold, in bytes; zero where the system does not say as Linux does. */
  long residentBytes();

  @Override
  void close();
}
