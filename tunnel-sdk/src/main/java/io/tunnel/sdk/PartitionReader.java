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
 * Reads partitions of a table for a program that keeps the positions itself: changes behind any
 * position that the table still has, or rows. A reader needs no tunnel, and the service stores
 * nothing about it; any number of readers may read a partition. Use a {@link TunnelWorker} if the
 * service should store the progress.
 *
 * <p>The service keeps no history for a reader: a position whose changes the table has deleted
 * fails with {@code HISTORY_LOST}.
 *
 * <p>After the loss of a connection, the reader connects again and continues behind the last
 * received record: each record comes once, in the order of its partition, as long as the reader
 * lives. The service reads each row at its own moment; {@link PartitionRecords#rowsAt} returns the
 * position of that moment. To miss no change and to see none twice: find a position before reading
 * the rows, then read the changes behind it and skip the changes that the rows include.
 *
 * <p>One thread may call {@link #poll}; any thread may call the other methods.
 */
public final class PartitionReader implements AutoCloseable {

  private final TableInfo table;
  private final Feeds feeds;

  /**
   * A reader without partitions; call {@link #start} for each partition.
   *
   * @param table the table, as returned by {@link TableClient#partitionMap}
   */
  public PartitionReader(ClientConfig client, TableInfo table, PartitionReaderConfig config) {
    this(
        Objects.requireNonNull(table, "table"),
        new Feeds(new LoopPort(client), client.endpoints(), table.meta().name(), config));
  }

  /** A reader of {@code table} with these feeds. */
  PartitionReader(TableInfo table, Feeds feeds) {
    this.table = table;
    this.feeds = feeds;
    feeds.learn(table);
  }

  /** Begins to read a partition; starts again if the partition is being read. */
  public void start(ReadStart start) {
    feeds.start(start);
  }

  /** Stops reading a partition: {@link #poll} returns no further records of it. */
  public void stop(int partition) {
    feeds.stop(partition);
  }

  /**
   * Holds back the records of a partition, up to its byte limit, until {@link #resume}; also after
   * a further {@link #start} of the partition.
   */
  public void pause(int partition) {
    feeds.inbox().pause(partition);
  }

  /** Returns records of a paused partition again. */
  public void resume(int partition) {
    feeds.inbox().resume(partition);
  }

  /**
   * The next records of any partition that is not paused. Empty after {@code wait}, and after a
   * {@link #wakeUp} during or before this call. A failure of one partition ends the reader: the
   * call throws as soon as it has returned all records that the reader received before.
   *
   * @throws io.tunnel.model.RefusedException when the service refuses to read a partition further:
   *     {@code HISTORY_LOST}, {@code TABLE_NOT_FOUND}, {@code INVALID_POSITION}
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

  /** Ends the wait of the current or the next {@link #poll}. */
  public void wakeUp() {
    feeds.inbox().wakeUp();
  }

  /**
   * The current first and last positions of the partitions. The reader asks once, without retries.
   * The future completes on a thread of the SDK.
   */
  public CompletableFuture<TablePositions> positions() {
    byte[] request = Json.encode(new FindPositions(table.meta().name(), Optional.empty()));
    return feeds
        .ask(Operation.FIND_POSITIONS, request)
        .thenApply(
            frame -> TableAnswers.positions(Json.decode(frame.payload(), FoundPositions.class)));
  }

  /**
   * Closes the connections. Waiting calls of other threads fail with a {@link ConnectionException}.
   * Idempotent.
   */
  @Override
  public void close() {
    feeds.close();
  }
}
