package io.tunnel.sdk.worker.channel;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * The done inputs of a channel whose processor may finish inputs in any order. Only the contiguous
 * prefix may be checkpointed: the last position before which every input is done.
 *
 * <p>Keeps at most {@link #INPUTS_MAX} inputs. A processor that marks single inputs gets no further
 * input while so many are undone. A processor that only marks all inputs up to a position, however
 * rarely, is not slowed down: this class forgets its oldest inputs. Afterwards only a mark of all
 * inputs up to a position behind them moves the prefix.
 */
final class PrefixCore {

  static final int INPUTS_MAX = 10_000;

  /** Last position of each input behind the prefix, with true for a done input. */
  private final TreeMap<Long, Boolean> inputs = new TreeMap<>();

  private long prefix;
  private long forgotten;
  private boolean marksSingly;

  PrefixCore(long checkpointed) {
    prefix = checkpointed;
    forgotten = checkpointed;
  }

  /** Every input up to this position is done. */
  long prefix() {
    return prefix;
  }

  /** True when the processor may get a further input. */
  boolean mayBegin() {
    return !marksSingly || inputs.size() < INPUTS_MAX;
  }

  /** The processor gets an input that ends at {@code position}, behind all earlier inputs. */
  void given(long position) {
    if (inputs.size() >= INPUTS_MAX) {
      forgotten = inputs.pollFirstEntry().getKey();
    }
    inputs.put(position, false);
  }

  /** An input is divided behind {@code position}. */
  void divided(long position) {
    if (position > prefix) {
      inputs.putIfAbsent(position, false);
    }
  }

  /** The part that ends at {@code position} is skipped: it counts as done. */
  void skipped(long position) {
    if (position > prefix) {
      inputs.put(position, true);
      advance();
    }
  }

  /**
   * The input that ends at {@code position} is done.
   *
   * @throws IllegalArgumentException when no input ends there
   * @throws IllegalStateException when inputs were forgotten, so the prefix is unknown
   */
  void done(long position) {
    if (forgotten > prefix) {
      throw new IllegalStateException(
          "more than "
              + INPUTS_MAX
              + " inputs were given to the processor before the first was marked as done: call"
              + " checkpoint with a token of "
              + forgotten
              + " or later first");
    }
    marksSingly = true;
    if (position <= prefix) {
      return;
    }
    if (inputs.replace(position, true) == null) {
      throw new IllegalArgumentException("no input ends with token " + position);
    }
    advance();
  }

  /** All inputs up to {@code position} are done; the position may lie inside an input. */
  void doneUpTo(long position) {
    if (position > prefix) {
      prefix = position;
      inputs.headMap(position, true).clear();
      advance();
    }
  }

  private void advance() {
    if (forgotten > prefix) {
      return;
    }
    Iterator<Map.Entry<Long, Boolean>> oldest = inputs.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<Long, Boolean> input = oldest.next();
      if (!input.getValue()) {
        return;
      }
      prefix = input.getKey();
      oldest.remove();
    }
  }
}
