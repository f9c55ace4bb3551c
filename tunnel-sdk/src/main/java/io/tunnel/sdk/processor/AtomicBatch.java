package io.tunnel.sdk.processor;

/**
 * The place of a change in its atomic batch, all of whose changes were applied together.
 *
 * @param number of the batch in its partition: the position of its first change
 * @param index of the change in the batch, from 0
 * @param size number of changes of the batch
 */
public record AtomicBatch(long number, int index, int size) {

  /** Whether the change is the first of the batch. */
  public boolean isFirst() {
    return index == 0;
  }

  /** Whether the change is the last of the batch. */
  public boolean isLast() {
    return index == size - 1;
  }
}
