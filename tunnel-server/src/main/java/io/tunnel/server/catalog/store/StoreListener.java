package io.tunnel.server.catalog.store;

import java.util.Map;
import java.util.Optional;

/** Hears what the only writer of a store cannot learn from its writes. */
public interface StoreListener {

  /** A write that failed with {@link UnknownOutcomeException} is stored now. */
  void stored(Map<String, Optional<String>> changes);

  /**
   * The store accepts no more writes: a new writer has opened the store, or this writer cannot go
   * on. Called once. To write again, open the store again.
   */
  void fenced(FencedStoreException reason);
}
