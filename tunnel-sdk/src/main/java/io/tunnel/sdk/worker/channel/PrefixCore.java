package io.tunnel.sdk.worker.channel;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which inputs of a channel are done when they may be done in any order. What may be checkpointed
 * is the contiguous prefix: the last position of an input that is done and before which none is
 * left undone.
 *
 * <p>Holds at most {@link #INPUTS_MAX} inputs. A processor that marks single inputs is given no
 * more while so many are undone. One that only ever says "everything up to here", perhaps rarely or
 * never, is not slowed down: its oldest inputs are forgotten, and can from then on only be passed
 * by such a word.
 */
final class PrefixCore {

  static final int INPUTS_MAX = 10_000;

  /** Last position of each input behind the prefix, and whether it is done. */
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

  /** Whether another input may be given. */
  boolean mayBegin() {
    return !marksSingly || inputs.size() < INPUTS_MAX;
  }

  /** An input that ends at {@code position}, behind all former ones, is given to the processor. */
  void given(long position) {
    if (inputs.size() >= INPUTS_MAX) {
      forgotten = inputs.pollFirstEntry().getKey();
    }
    inputs.put(position, false);
  }

  /** An input that was given is divided behind {@code position}. */
  void divided(long position) {
    if (position > prefix) {
      inputs.putIfAbsent(position, false);
    }
  }

  /** What ends at {@code position} is given to nobody: it is done without anybody's word. */
  void skipped(long position) {
    if (position > prefix) {
      inputs.put(position, true);
      advance();
    }
  }

  /**
   * The input that ends at {@code position} is done.
   *
   * @throws IllegalArgumentException when there is no such input
   * @throws IllegalStateException when it cannot be known any more which inputs are done
   */
  void done(long position) {
    if (forgotten > prefix) {
      throw new IllegalStateException(
          "more than "
              + INPUTS_MAX
              + " inputs were given before the first was marked as done: checkpoint all up to "
              + forgotten
              + " first");
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

  /** Everything up to {@code position}, which may lie inside an input, is done. */
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
