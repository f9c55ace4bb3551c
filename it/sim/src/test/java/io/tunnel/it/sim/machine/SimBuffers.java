package io.tunnel.it.sim.machine;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * The buffers of a process. This class counts buffers, so that a world finds every leaked buffer,
 * where Netty's leak detector only samples. Buffers of a killed process are gone with the process,
 * and are no leak.
 */
final class SimBuffers extends AbstractByteBufAllocator {

  private long open;

  SimBuffers() {
    super(false);
  }

  /** How many buffers were taken and not given back. */
  long open() {
    return open;
  }

  private final class Counted extends UnpooledHeapByteBuf {

    Counted(int initialCapacity, int maxCapacity) {
      super(SimBuffers.this, initialCapacity, maxCapacity);
      open++;
    }

    @Override
    protected void deallocate() {
      open--;
      super.deallocate();
    }
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return new Counted(initialCapacity, maxCapacity);
  }

  /** Nothing here asks where its bytes are. */
  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return new Counted(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}
