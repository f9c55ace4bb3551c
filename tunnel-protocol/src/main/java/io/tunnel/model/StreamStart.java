package io.tunnel.model;

/** Where a Stream tunnel starts. */
public enum StreamStart {
  /** With the oldest change that is kept. */
  EARLIEST,
  /** With the first change after the tunnel's creation. */
  LATEST
}
