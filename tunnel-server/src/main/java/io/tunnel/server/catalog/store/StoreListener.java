package io.tunnel.server.catalog.store;

import java.util.Map;
import java.util.Optional;

/** Is told what the only writer of a store cannot know from its writes. */
public interface StoreListener {

  /** A write that was answered with {@link UnknownOutcomeException} is stored now. */
  void stored(Map<String, Optional<String>> changes);

  /**
   * Nothing can be written any more, once: another writer has opened the store, or this one could
   * not go on. To write again, open the store anew.
   */
  void fenced(FencedStoreException reason);
}
