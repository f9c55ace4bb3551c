package io.tunnel.server.catalog.store;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Keeps texts in memory, and can be told to fail. */
public final class MemoryCatalogStore implements CatalogStore {

  private final Map<String, String> texts = new TreeMap<>();
  private boolean isFailing;
  private boolean losesWord;
  private boolean isInDoubt;
  private boolean isFenced;
  private Map<String, Optional<String>> lastWrite = Map.of();
  private int writes;
  private int writesMax = Integer.MAX_VALUE;

  /** From now on writes fail, or not. */
  public void fail(boolean mustFail) {
    isFailing = mustFail;
  }

  /** Lets {@code count} more writes be done before they fail. */
  public void failAfter(int count) {
    writesMax = count == Integer.MAX_VALUE ? count : writes + count;
  }

  /** The next write is done, and its writer is not told so. */
  public void loseWord() {
    losesWord = true;
  }

  /** Another one writes from now on. */
  public void fence() {
    isFenced = true;
  }

  /** It is known now what became of a write without a word. */
  public void know() {
    isInDoubt = false;
  }

  @Override
  public boolean isInDoubt() {
    return isInDoubt;
  }

  /** What was written last. */
  public Map<String, Optional<String>> lastWrite() {
    return lastWrite;
  }

  /** Writes that were done. */
  public int writes() {
    return writes;
  }

  @Override
  public Map<String, String> all() {
    return Map.copyOf(texts);
  }

  @Override
  public void write(Map<String, Optional<String>> changes) throws IOException {
    if (isFenced) {
      throw new FencedStoreException("injected: another one writes", null);
    }
    if (isFailing || writes >= writesMax) {
      throw new IOException("injected failure of the catalog");
    }
    writes++;
    lastWrite = Map.copyOf(changes);
    CatalogStore.apply(changes, texts);
    isInDoubt = false;
    if (losesWord) {
      losesWord = false;
      isInDoubt = true;
      throw new UnknownOutcomeException("injected: nobody knows", new IOException("no answer"));
    }
  }

  @Override
  public void close() {
    isFailing = true;
  }
}
