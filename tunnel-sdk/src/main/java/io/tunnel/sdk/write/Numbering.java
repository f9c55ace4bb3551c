package io.tunnel.sdk.write;

import io.tunnel.codec.WriterNumber;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.WriterToken;
import java.util.Optional;

/**
 * The numbers of a lane's batches. Numbers rise for as long as the lane lives, whatever the
 * partition makes of the writer's date: so the partition refuses a batch that arrives after a later
 * one. The lock of the lane guards the state.
 */
final class Numbering {

  /** The token of the writer; empty until there is one. */
  private Optional<WriterToken> writer = Optional.empty();

  /** The number of the last batch; never falls. */
  private long last;

  /** The last number that the partition refused; at most {@link #last}. */
  private long ended;

  /**
   * The last batch of which rows were applied; at most {@link #last}. 0 without one since the
   * partition refused a number.
   */
  private long applied;

  /** Whether {@link #number} needs no token. */
  boolean hasWriter() {
    return writer.isPresent();
  }

  /**
   * The number of a batch that is about to be sent. A batch keeps its number unless the partition
   * refused the number.
   *
   * @param had the batch's number, if it was sent before
   * @param token the token of the writer, if this has no writer; empty for a service without ids
   */
  Optional<WriterNumber> number(Optional<WriterNumber> had, Optional<Bytes> token) {
    writer = writer.or(() -> token.map(WriterToken::new));
    return had.filter(number -> number.number() > ended)
        .or(() -> writer.map(of -> new WriterNumber(of.bytes(), ++last, applied)));
  }

  /**
   * The partition refused a number, and applied nothing of this attempt. Later batches follow no
   * acknowledged batch, and have the date that the partition told.
   *
   * @param dateMicros 0 for none
   */
  void ended(WriterNumber number, long dateMicros) {
    ended = number.number();
    applied = 0;
    writer = writer.map(of -> dateMicros > 0 ? of.dated(dateMicros) : of);
  }

  /** The partition has applied rows of a batch. */
  void applied(WriterNumber number) {
    applied = number.number();
  }
}
