package io.tunnel.sdk;

import io.tunnel.sdk.answer.TableAnswers;
import io.tunnel.sdk.read.Feeds;
import io.tunnel.sdk.read.LoopPort;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads partitions of a table for somebody who keeps the positions: changes behind any position
 * that the table still has, or rows. No tunnel is needed, nothing is stored of it, and any number
 * of readers may read the same. Use a {@link TunnelWorker} where the service should keep the
 * progress.
 *
 * <p>Nobody keeps history for a reader: a position whose changes the table has given up fails with
 * {@code HISTORY_LOST}.
 *
 * <p>A connection that is lost is opened again, and reading goes on behind what came: each record
 * comes once, in its partition's order, as long as the reader lives. Rows are read as they are when
 * their turn comes, not all at one moment; {@link PartitionRecords#rowsAt} says at which position.
 * Read changes from a position that was found before the rows were begun, leave out those that the
 * rows have, and nothing is missed or seen twice.
 *
 * <p>One thread may {@link #poll}; all else may be called by any.
 */
public final class PartitionReader implements AutoCloseable {

  private final TableInfo table;
  private final Feeds feeds;

  /**
   * A reader that reads nothing yet.
   *
   * @param table as {@link TableClient#partitionMap} describes it
   */
  public PartitionReader(ClientConfig client, TableInfo table, PartitionReaderConfig config) {
    this(
        Objects.requireNonNull(table, "table"),
        new Feeds(new LoopPort(client), client.endpoints(), table.meta().name(), config));
  }

  /** A reader of {@code table} whose partitions come from {@code feeds}. */
  PartitionReader(TableInfo table, Feeds feeds) {
    this.table = table;
    this.feeds = feeds;
    feeds.learn(table);
  }

  /** Begins to read a partition; anew, if it is read already. */
  public void start(ReadStart start) {
    feeds.start(start);
  }

  /** Reads a partition no more: nothing of it comes from {@link #poll} that was not there. */
  public void stop(int partition) {
    feeds.stop(partition);
  }

  /**
   * Keeps what comes of a partition, up to its limit, until it is {@linkplain #resume resumed};
   * also when it is begun anew meanwhile.
   */
  public void pause(int partition) {
    feeds.inbox().pause(partition);
  }

  /** Gives out what came of a partition again. */
  public void resume(int partition) {
    feeds.inbox().resume(partition);
  }

  /**
   * What came next, of any partition that is not paused. Empty when nothing came in time, and when
   * somebody {@linkplain #wakeUp woke} this call or, before it, the reader.
   *
   * @throws io.tunnel.model.RefusedException when a partition cannot be read on, and why: {@code
   *     HISTORY_LOST}, {@code TABLE_NOT_FOUND}, {@code INVALID_POSITION}
   * @throws ConnectionException when the service could not be reached for too long, or the reader
   *     is closed
   */
  public Optional<PartitionRecords> poll(Duration wait) throws InterruptedException {
    EventLoops.requireMayBlock("poll");
    return feeds
        .inbox()
        .take(Ticker.bounded(wait).toNanos())
        .map(
            received ->
                PartitionRecords.of(
                    received, table.meta().primaryKey(), () -> feeds.release(received)));
  }

  /** Ends the {@link #poll} that waits, or the next one. */
  public void wakeUp() {
    feeds.inbox().wakeUp();
  }

  /**
   * Where the partitions begin and end now; asked once, so that it may fail and be asked again.
   * Completes on a thread of the SDK.
   */
  public CompletableFuture<TablePositions> positions() {
    byte[] request = Json.encode(new FindPositions(table.meta().name(), Optional.empty()));
    return feeds
        .ask(Operation.FIND_POSITIONS, request)
        .thenApply(
            frame -> TableAnswers.positions(Json.decode(frame.payload(), FoundPositions.class)));
  }

  /**
   * Closes the connections. Calls of other threads that wait end with a {@link
   * ConnectionException}. Idempotent.
   */
  @Override
  public void close() {
    feeds.close();
  }
}
