package io.tunnel.server.catalog.store;

import java.util.Set;

/** What the disk of a local catalog allows. */
enum StoreState {
  /** Everything. */
  SERVING,
  /**
   * A write failed, and the disk may hold it or not: the store refuses writes until it has opened
   * its files again and rolled the write back.
   */
  IN_DOUBT,
  /** The store is closed. */
  CLOSED;

  /** The states that may follow this state. */
  Set<StoreState> next() {
    return switch (this) {
      case SERVING -> Set.of(IN_DOUBT, CLOSED);
      case IN_DOUBT -> Set.of(SERVING, CLOSED);
      case CLOSED -> Set.of(CLOSED);
    };
  }
}
