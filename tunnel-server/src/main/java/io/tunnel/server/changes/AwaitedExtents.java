package io.tunnel.server.changes;

import java.nio.ByteBuffer;

/** See {@link Extents#awaited}. */
enum AwaitedExtents implements Extents {
  INSTANCE;

  @Override
  public boolean isEmpty() {
    return true;
  }

  @Override
  public boolean isAwaited() {
    return true;
  }

  @Override
  public Extents upTo(long position) {
    return this;
  }

  @Override
  public int bytes() {
    return 0;
  }

  @Override
  public long firstPosition() {
    throw new IllegalStateException("awaited batches have no position");
  }

  @Override
  public long lastPosition() {
    return 0;
  }

  @Override
  public void read(ByteBuffer target) {
    // Nothing to read.
  }
}
