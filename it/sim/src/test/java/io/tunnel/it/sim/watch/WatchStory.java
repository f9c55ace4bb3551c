package io.tunnel.it.sim.watch;

import io.tunnel.codec.KeyCodec;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.KeyTerms;
import java.util.Optional;

/** A partition that somebody watches: which changes the watch was given, and how far. */
final class WatchStory {

  private final WatchedLog log;
  private final KeyTerms terms;
  private long last;

  /** While the watch reads rows, nobody knows which changes they include. */
  private boolean readsRows;

  /**
   * Whether a loss of power took a change away that was sent to the watch: its position is refused,
   * and the watch has to begin anew.
   */
  private boolean isAhead;

  WatchStory(WatchedLog log, KeyTerms terms) {
    this.log = log;
    this.terms = terms;
  }

  void beginsBehind(long position) {
    last = position;
    readsRows = false;
    isAhead = false;
  }

  void beginsWithRows() {
    last = 0;
    readsRows = true;
    isAhead = false;
  }

  /** The watch is given a row that matches. */
  void givenRow(StreamRecord row) {
    requireMatch(row);
    Invariant.WATCHES_MATCH.require(
        readsRows, "a watch of partition %d is given %s, and wants no rows", log.partition(), row);
  }

  /** The watch is given a change: the next one that counts and matches. */
  void given(StreamRecord change) {
    log.learn();
    long position = change.position();
    requireMatch(change);
    String text = PartitionTruth.textOf(change);
    // A retry of the writer may have written the change again since.
    isAhead |= log.wasLost(position, text) && !isThere(position, text);
    if (isAhead) {
      return;
    }
    Optional<Long> next = readsRows ? Optional.of(position) : next(Long.MAX_VALUE);
    Invariant.WATCHES_MATCH.require(
        position > last && next.filter(expected -> expected == position).isPresent(),
        "a watch of partition %d is given %d behind %d, and %s is next",
        log.partition(),
        position,
        last,
        next);
    Invariant.WATCHES_MATCH.require(
        isThere(position, text),
        "a watch of partition %d is given %s at %d",
        log.partition(),
        change,
        position);
    last = position;
  }

  private boolean isThere(long position, String text) {
    return log.at(position).filter(each -> each.text().equals(text)).isPresent();
  }

  private void requireMatch(StreamRecord record) {
    Invariant.WATCHES_MATCH.require(
        terms.match(record.encodedKey()),
        "a watch of partition %d is given %s, which does not match",
        log.partition(),
        record);
  }

  /** The next change that matches, up to a position. */
  private Optional<Long> next(long upTo) {
    Optional<Long> next = log.after(last);
    while (next.isPresent() && next.get() <= upTo && !isMatch(next.get())) {
      next = log.after(next.get());
    }
    return next.filter(position -> position <= upTo);
  }

  private boolean isMatch(long position) {
    Bytes key =
        KeyCodec.encode(log.at(position).orElseThrow().record().getPrimaryKey(), RowFold.SCHEMA);
    return terms.match(key);
  }

  /** The watch says that it has everything up to a position. */
  void marked(long position) {
    log.learn();
    if (isAhead) {
      return;
    }
    if (readsRows) {
      readsRows = false;
      last = position;
    }
    Optional<Long> missing = next(position);
    Invariant.WATCHES_MATCH.require(
        missing.isEmpty(),
        "a watch of partition %d says that it has all up to %d, and lacks %s",
        log.partition(),
        position,
        missing);
    last = Math.max(last, position);
  }

  boolean isDone() {
    log.learn();
    return !readsRows && !isAhead && next(Long.MAX_VALUE).isEmpty();
  }

  void requireDone(long seconds) {
    Invariant.LIVENESS.require(
        isDone(),
        "%d s after the last fault, a watch of partition %d is at %d, and %s is next",
        seconds,
        log.partition(),
        last,
        next(Long.MAX_VALUE));
  }
}
