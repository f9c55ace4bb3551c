package io.tunnel.server.check;

/** Is told how long work gets on. */
public interface Progress {

  /** Bytes of the log that were read, more with each call. */
  void read(long bytes);
}
