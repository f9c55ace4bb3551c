package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.OffsetIndexCore.Pair;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The {@link OffsetIndexCore} of a node, which lanes fill and readers of old changes ask. The lock
 * guards the core; under the lock nothing outside of the core is called.
 */
final class OffsetIndex implements OffsetOf {

  /** Bytes of the index of a node: about 40 GiB of log at the usual distance. */
  static final long BYTES_MAX = 4 << 20;

  private final OffsetIndexCore core = new OffsetIndexCore(BYTES_MAX);

  /** See {@link OffsetIndexCore#saw}. */
  synchronized void saw(RecordPlace place, int bytes) {
    core.saw(place, bytes);
  }

  /** See {@link OffsetIndexCore#found}. */
  synchronized void found(RecordPlace place) {
    core.found(place);
  }

  /** See {@link OffsetIndexCore#trimmed}. */
  synchronized void trimmed(int partition, long offset, long position) {
    core.trimmed(partition, offset, position);
  }

  /** See {@link OffsetIndexCore#cut}. */
  synchronized void cut(int partition, long offset) {
    core.cut(partition, offset);
  }

  /** See {@link OffsetIndexCore#drop}. */
  synchronized void drop(int partition) {
    core.drop(partition);
  }

  /** See {@link OffsetIndexCore#after}. */
  synchronized Optional<Pair> after(int partition, long position) {
    return core.after(partition, position);
  }

  @Override
  public synchronized OptionalLong offsetAtOrBefore(int partition, long position) {
    return core.atOrBefore(partition, position).stream().mapToLong(Pair::offset).findFirst();
  }

  /** See {@link OffsetIndexCore#bytes}. */
  synchronized long bytes() {
    return core.bytes();
  }
}
