package io.tunnel.server.partition.judge;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.server.partition.judge.ConditionCore.Judged;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Numbers the keys of a batch before its rows are evaluated, so that a row is evaluated, logged and
 * indexed under the key that it has. No other write to the partition is evaluated meanwhile, so the
 * numbers are taken when rows are accepted: an evaluation that is broken off takes none.
 */
final class KeyNumbering {

  private final KeyNumbers numbers;

  /** The AUTO column; empty for a table without one. */
  private final Optional<AutoNumbers> auto;

  private final boolean isAsked;
  private final Optional<AutoNumbers.Numbered> numbered;
  private final ChangeBatch batch;

  /** Whether a row that asked for a number is accepted. */
  private boolean hasAccepted;

  KeyNumbering(ChangeBatch written, List<PrimaryKeySchema> key, KeyNumbers numbers) {
    this.numbers = numbers;
    this.auto = AutoNumbers.of(key);
    this.isAsked = auto.isPresent() && AutoNumbers.areAsked(written);
    this.numbered =
        isAsked
            ? auto.get().number(written, numbers.largest(written.partition()))
            : Optional.empty();
    this.batch = numbered.map(AutoNumbers.Numbered::batch).orElse(written);
  }

  /** The batch with the numbers that its rows asked for, as far as there are any. */
  ChangeBatch batch() {
    return batch;
  }

  /** Whether fewer numbers are left than rows ask for: then each of these rows is refused. */
  boolean isOverflow() {
    return isAsked && numbered.isEmpty();
  }

  /** Accepts all rows, without evaluating them. */
  Judged all() {
    ChangeBatch accepted = batch;
    if (isAsked) {
      BitSet all = new BitSet();
      all.set(0, batch.rowCount());
      accepted = AcceptedRows.of(batch, all);
      hasAccepted = true;
    }
    accepted(accepted);
    return new Judged(Optional.of(accepted), List.of(), firstNumber());
  }

  /** A row is accepted. */
  void accepted(RowCursor row) {
    hasAccepted |= row.isAuto();
  }

  /** No row is accepted after all. */
  void noneIsAccepted() {
    hasAccepted = false;
  }

  /** These rows go into the log: the numbers that they name are used. */
  void accepted(ChangeBatch rows) {
    if (auto.isPresent()) {
      auto.get().largest(rows).ifPresent(number -> numbers.raise(rows.partition(), number));
    }
  }

  /** The number of the first row that asked; empty when no such row is accepted. */
  OptionalLong firstNumber() {
    return hasAccepted ? OptionalLong.of(numbered.orElseThrow().first()) : OptionalLong.empty();
  }
}
