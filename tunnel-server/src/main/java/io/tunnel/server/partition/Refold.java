package io.tunnel.server.partition;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.ReplayVisitor;
import io.tunnel.server.partition.judge.AnswerCodec;
import io.tunnel.server.partition.judge.BoundRows;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.LongFunction;

/** Folds what a log has and a table has not, when the table is opened, or made again. */
public final class Refold implements ReplayVisitor {

  private final TableStore table;
  private final Begin begin;
  private final SeenChanges seen;
  private final IntPredicate live;
  private final List<ChangeBatch> group = new ArrayList<>();

  /** A fold that found no disk space, and the log's offset after it. */
  private Optional<Refused> refused = Optional.empty();

  private record Refused(TableFold fold, long end) {}

  /**
   * For a table that is just opened.
   *
   * @param live which partitions exist; changes of others stay
   * @param auto the AUTO column of a partition's keys, if they have one
   */
  public Refold(TableStore table, IntPredicate live, IntFunction<Optional<AutoNumbers>> auto) {
    this(table, live, auto, table::begin);
  }

  /**
   * As the public constructor, for a table that is opened to be written.
   *
   * @param owners whose a row session is, as {@link BoundRows} asks
   * @param writers what the shard keeps of writers
   * @param places how far the table has a log that nodes share
   */
  Refold(
      TableStore table,
      IntPredicate live,
      IntFunction<Optional<AutoNumbers>> auto,
      LongFunction<Optional<String>> owners,
      WriterLimits.Share writers,
      SeenPlaces places) {
    this(table, live, auto, owners, writers, places, table::begin);
  }

  /** As the public constructor, with folds that {@code begin} begins. */
  Refold(
      TableStore table, IntPredicate live, IntFunction<Optional<AutoNumbers>> auto, Begin begin) {
    this(
        table,
        live,
        auto,
        session -> Optional.empty(),
        WriterLimits.DEFAULT.of(1),
        SeenPlaces.NONE,
        begin);
  }

  private Refold(
      TableStore table,
      IntPredicate live,
      IntFunction<Optional<AutoNumbers>> auto,
      LongFunction<Optional<String>> owners,
      WriterLimits.Share writers,
      SeenPlaces places,
      Begin begin) {
    this.table = table;
    this.begin = begin;
    Map<Bytes, Bytes> stored = new HashMap<>(table.sessions());
    stored.keySet().removeIf(row -> !live.test(Binary.getInt(row.toByteArray(), 0)));
    this.seen =
        new SeenChanges(
            new RowBounds(table.bounds()),
            new Writers(table::writers, writers, AnswerCodec::shortened),
            new BoundRows(stored, owners),
            places,
            auto);
    this.live = live;
  }

  /** See {@link TableStore#begin}. */
  @FunctionalInterface
  interface Begin {
    /** Begins a fold. */
    TableFold begin(List<ChangeBatch> batches, BesideRows beside);
  }

  /** What the shard remembers of the changes. */
  SeenChanges seen() {
    return seen;
  }

  @Override
  public void batch(ChangeBatch batch) {
    if (live.test(batch.partition())) {
      group.add(batch);
      seen.saw(batch);
    }
  }

  @Override
  public void answers(ChangeBatch batch) {
    if (live.test(batch.partition())) {
      seen.saw(batch);
    }
  }

  @Override
  public void groupEnd(long end) throws IOException {
    refused = Optional.of(new Refused(begin.begin(List.copyOf(group), seen.takeRaised()), end));
    group.clear();
    foldRefused();
  }

  /** Folds the group that found no disk space before, if there is one. */
  void foldRefused() throws IOException {
    if (refused.isPresent()) {
      long end = refused.get().end();
      TableFold.Offsets offsets = new TableFold.Offsets(table.foldedOffset(), end, end);
      boolean isWhole = false;
      while (!isWhole) {
        isWhole = refused.get().fold().run(offsets, () -> true);
      }
      refused = Optional.empty();
    }
  }
}
