package io.tunnel.sdk.write;

import io.tunnel.sdk.RowCallback;

/**
 * Ends a batch whose rows went on in other batches, when the last of them has been told its
 * outcome. On the event loop only.
 */
final class Countdown {

  private final Batch batch;
  private int left;

  Countdown(Batch batch) {
    this.batch = batch;
    this.left = batch.rowCount();
  }

  /** The callback of one of the rows, which counts down when it has returned. */
  RowCallback counting(RowCallback callback) {
    return (row, result) -> {
      try {
        callback.completed(row, result);
      } finally {
        left--;
        if (left == 0) {
          batch.done().complete(null);
        }
      }
    };
  }
}
