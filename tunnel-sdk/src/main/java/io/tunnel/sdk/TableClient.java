package io.tunnel.sdk;

import io.tunnel.condition.RowSelection;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.answer.Absence;
import io.tunnel.sdk.answer.TableAnswers;
import io.tunnel.sdk.answer.TableFigures;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableDifference;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchedKeys;
import io.tunnel.sdk.write.WriteCall;
import io.tunnel.sdk.write.WriteEngine;
import io.tunnel.sdk.write.WriteEngines;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Creates and describes tables, reads and writes rows. The client keeps one connection to the
 * server, or one to each leader of a cluster that it needs, and reconnects after a loss.
 * Thread-safe.
 *
 * <p>Methods that wait throw {@link io.tunnel.model.RefusedException} when the server refuses, and
 * {@link ConnectionException} when the server cannot be reached or does not answer. They first
 * retry requests that are safe to repeat, for {@link ClientConfig#retryDeadline}. On a callback
 * thread of the SDK they throw {@link IllegalStateException}.
 */
public final class TableClient implements AutoCloseable {

  /** What an ICMP echo sends unless it is told otherwise. */
  private static final int PING_BYTES = 56;

  /** Longer than any call: rows of one call are sent together by {@code hurry}, not by a timer. */
  private static final Duration UNTIL_SENT = Duration.ofHours(1);

  private final Nodes nodes;
  private final Caller caller;
  private final TableMaps maps;
  private final Map<String, TableReads> readsByTable = new ConcurrentHashMap<>();
  private final WriteEngines engines;
  final ClientSessions sessions;
  private final ClientWatches watches;

  /** A client in the world of {@code port}, which is asked for after the files were read. */
  TableClient(ClientConfig config, Supplier<ClientPort> port) {
    LoadedConfig loaded = LoadedConfig.of(config); // First: it may throw.
    this.nodes = new Nodes(loaded, port.get());
    this.caller = new Caller(nodes);
    this.maps = new TableMaps(caller);
    this.watches = new ClientWatches(config);
    TableWriterConfig shared =
        TableWriterConfig.DEFAULTS
            .withLinger(UNTIL_SENT)
            .withBufferBytesMax(config.inFlightBytesMax());
    this.engines = new WriteEngines(nodes, nodes.port().ticker(), shared);
    this.sessions =
        new ClientSessions(
            new RowSession.Wiring(
                caller,
                nodes,
                nodes.port().ticker(),
                bound -> engines.openingBound(maps.of(bound.table()), bound.session()),
                engines::forget));
  }

  /** Connects to the service at {@code endpoint}, as {@link ClientConfig#of(String)} reads it. */
  public static TableClient connect(String endpoint) {
    return connect(ClientConfig.of(endpoint));
  }

  /**
   * Connects.
   *
   * @throws ConnectionException when the server cannot be reached before the connect deadline
   * @throws io.tunnel.model.RefusedException when the server speaks another version of the protocol
   * @throws io.tunnel.sdk.security.ProfileException when a file of the configuration's security
   *     cannot be used; clients, readers and workers all check this
   */
  public static TableClient connect(ClientConfig config) {
    TableClient client = new TableClient(config, ClientPort::real);
    try {
      var unused = Caller.await(client.nodes.connection(Optional.empty()));
      return client;
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** As {@link #ping(int)}, with 56 bytes. */
  public Duration ping() {
    return ping(PING_BYTES);
  }

  /**
   * Sends bytes to the server, which sends them back, and returns the time between. The time is
   * that of one request on an open connection: the client first connects if it must, and never
   * retries.
   *
   * @param bytes how many bytes travel each way, 0 to 65,536
   * @throws io.tunnel.model.RefusedException {@code UNKNOWN_OPERATION} when the server is older
   *     than this client
   * @throws ConnectionException when the server cannot be reached or does not answer
   * @throws IllegalArgumentException when there are too many bytes
   */
  public Duration ping(int bytes) {
    EventLoops.requireMayBlock("ping");
    return Ping.roundTrip(caller, bytes);
  }

  /** Creates a table of one partition. */
  public TableInfo createTable(TableMeta meta) {
    return createTable(meta, List.of());
  }

  /** Creates a table from a request of {@link CreateTableRequest#builder}. */
  public TableInfo createTable(CreateTableRequest request) {
    return createTable(request.meta(), request.splitPoints());
  }

  /**
   * Creates a table with one partition more than split points.
   *
   * @param splitPoints values of the first key column in rising order
   * @return the table without figures
   */
  public TableInfo createTable(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    return TableAnswers.uncounted(
        change(
            Operation.CREATE_TABLE,
            new Control.CreateTable(meta, splitPoints),
            TableDescription.class));
  }

  /**
   * Creates a table unless its name exists, for a program that starts again and again. An existing
   * table keeps its partitions and options; {@link TableInfo#differences} says where they differ
   * from the request.
   *
   * @return the table without figures
   * @throws io.tunnel.model.RefusedException {@code TABLE_EXISTS} when the existing table differs
   *     in what {@link #alterTable} cannot alter: in the key, the types of the key's columns, the
   *     AUTO column, or because one of the two has a time to live and the other has none
   */
  public TableInfo createTableIfAbsent(CreateTableRequest request) {
    TableInfo table =
        Absence.of(
            ErrorCode.TABLE_NOT_FOUND,
            ErrorCode.TABLE_EXISTS,
            () -> partitionMap(request.meta().name()),
            () -> createTable(request));
    TableInfo compared = table.comparedWith(request);
    List<TableDifference> refused =
        compared.differences().stream().filter(TableDifference::isRefused).toList();
    if (!refused.isEmpty()) {
      throw new RefusedException(
          ErrorCode.TABLE_EXISTS,
          "table '"
              + table.meta().name()
              + "' exists with "
              + refused.stream().map(TableDifference::toString).collect(Collectors.joining(", "))
              + ", which cannot be altered; drop the table, or name another table");
    }
    return compared;
  }

  /** A table with figures of its partitions. The server counts rows, which may take a second. */
  public TableInfo describeTable(String table) {
    EventLoops.requireMayBlock("describeTable");
    return TableAnswers.counted(new TableFigures(caller, table).gather());
  }

  /** A table with its partitions, without figures: cheap. */
  public TableInfo partitionMap(String table) {
    return TableAnswers.uncounted(
        maps.learned(
            read(Operation.PARTITION_MAP, new Control.TableName(table), TableDescription.class)));
  }

  /**
   * The positions behind which a {@link PartitionReader} can read the changes of a table's
   * partitions.
   *
   * @param timeMs asks also for the positions before the first change committed at or after this
   *     moment, in milliseconds since 1970. The server refuses a moment in the future with {@code
   *     INVALID_POSITION}, and a moment whose changes may be deleted with {@code HISTORY_LOST}
   * @throws IllegalArgumentException when the moment is before 1970
   */
  public TablePositions findPositions(String table, Optional<Long> timeMs) {
    return TableAnswers.positions(
        read(Operation.FIND_POSITIONS, new FindPositions(table, timeMs), FoundPositions.class));
  }

  /** The names of all tables, sorted. */
  public List<String> listTables() {
    return read(Operation.LIST_TABLES, new Control.Empty(), Control.TableList.class).tables();
  }

  /**
   * Changes the options of a table that {@code change} names, at least one. A shorter time to live
   * or retention deletes rows or changes, so it needs the rights {@code alter} and {@code write}.
   *
   * @return the table without figures
   */
  public TableInfo alterTable(String table, OptionsChange change) {
    return TableAnswers.uncounted(
        change(Operation.ALTER_TABLE, new AlterTable(table, change), TableDescription.class));
  }

  /** Drops a table with its rows, its changes and its tunnels. */
  public void dropTable(String table) {
    var unused = change(Operation.DROP_TABLE, new Control.TableName(table), Control.Empty.class);
    readsByTable.remove(table);
  }

  /**
   * A row by its key.
   *
   * @throws IllegalArgumentException when the key does not match the table's
   */
  public Optional<Row> getRow(String table, PrimaryKey key) {
    return getRow(table, key, ReadMode.BOUNDED);
  }

  /**
   * A row by its key, read in the given mode.
   *
   * @throws IllegalArgumentException when the key does not match the table's
   */
  public Optional<Row> getRow(String table, PrimaryKey key, ReadMode mode) {
    return getRow(table, key, RowSelection.ALL, mode);
  }

  /**
   * A row by its key, if the selection's condition holds of the row, with the selected columns.
   *
   * @throws IllegalArgumentException when the key does not match the table's, or {@link
   *     RowSelection#require} refuses the selection
   */
  public Optional<Row> getRow(String table, PrimaryKey key, RowSelection selection, ReadMode mode) {
    return reads(table).row(key, selection, mode);
  }

  /**
   * A row by its key. The future fails with the exceptions of {@link #getRow}, and completes on a
   * callback thread. Blocks on the first read of a table, to read the partition map.
   *
   * @throws IllegalArgumentException when the key does not match the table's
   */
  public CompletableFuture<Optional<Row>> getRowAsync(String table, PrimaryKey key) {
    return getRowAsync(table, key, ReadMode.BOUNDED);
  }

  /** A row by its key, read in the given mode; see {@link #getRowAsync(String, PrimaryKey)}. */
  public CompletableFuture<Optional<Row>> getRowAsync(String table, PrimaryKey key, ReadMode mode) {
    return getRowAsync(table, key, RowSelection.ALL, mode);
  }

  /** As {@link #getRow(String, PrimaryKey, RowSelection, ReadMode)} without waiting. */
  public CompletableFuture<Optional<Row>> getRowAsync(
      String table, PrimaryKey key, RowSelection selection, ReadMode mode) {
    return reads(table).rowAsync(key, selection, mode);
  }

  /**
   * Rows by their keys, whole; see {@link #getRows(String, Collection, RowSelection, ReadMode)}.
   */
  public Map<PrimaryKey, Row> getRows(String table, Collection<PrimaryKey> keys) {
    return getRows(table, keys, RowSelection.ALL, ReadMode.BOUNDED);
  }

  /**
   * Rows by their keys. Asks the leaders of the keys' partitions at the same time, for 1,000 keys a
   * request; each row is read at its own moment. A key that comes twice is read once.
   *
   * @param keys any number of keys, in any order
   * @param selection the condition that an answered row must fulfil, and its columns
   * @return the rows that there are, in the order of {@code keys}
   * @throws IllegalArgumentException when a key does not match the table's, or {@link
   *     RowSelection#require} refuses the selection
   */
  public Map<PrimaryKey, Row> getRows(
      String table, Collection<PrimaryKey> keys, RowSelection selection, ReadMode mode) {
    EventLoops.requireMayBlock("getRows");
    return Caller.await(getRowsAsync(table, keys, selection, mode));
  }

  /**
   * As {@link #getRows(String, Collection, RowSelection, ReadMode)} without waiting; blocks on the
   * first read of a table, to read the partition map.
   */
  public CompletableFuture<Map<PrimaryKey, Row>> getRowsAsync(
      String table, Collection<PrimaryKey> keys, RowSelection selection, ReadMode mode) {
    return reads(table).rowsAsync(List.copyOf(keys), selection, mode);
  }

  /** The key columns of a table. Unlike {@link #describeTable}, counts no rows. */
  public List<PrimaryKeySchema> primaryKeyOf(String table) {
    EventLoops.requireMayBlock("primaryKeyOf");
    return Caller.await(maps.of(table).read()).meta().primaryKey();
  }

  /** The rows of a range, fetched page by page during the iteration. */
  public RowRange getRange(String table, RangeQuery query) {
    return new RowRange(reads(table), query, RowSelection.ALL);
  }

  /**
   * Writes rows, and returns when all rows are applied. Rows of one key are applied in the given
   * order; a row that fails does not affect other rows.
   *
   * @return the position of each row
   * @throws WriteFailedException when a row was not applied, or is in doubt; the exception has the
   *     outcome of each row
   */
  public BatchWriteResult write(String table, List<RowChange> rows) {
    List<RowChange> written = List.copyOf(rows);
    return WriteFailedException.requireApplied(table, written, tryWrite(table, written));
  }

  /** As {@link #write}, but returns the outcome of each row instead of throwing. */
  public BatchWriteResult tryWrite(String table, List<RowChange> rows) {
    EventLoops.requireMayBlock("write");
    return Caller.await(tryWriteAsync(table, rows));
  }

  /**
   * As {@link #write} without waiting: the future fails with a {@link WriteFailedException} when a
   * row was not applied. Blocks where {@link #tryWriteAsync} does.
   */
  public CompletableFuture<BatchWriteResult> writeAsync(String table, List<RowChange> rows) {
    List<RowChange> written = List.copyOf(rows);
    return tryWriteAsync(table, written)
        .thenApply(result -> WriteFailedException.requireApplied(table, written, result));
  }

  /**
   * As {@link #tryWrite} without waiting; the future completes when each row has an outcome, and
   * never exceptionally. Blocks while {@link ClientConfig#inFlightBytesMax} is used up, and on the
   * first write to a table, to read the partition map.
   */
  public CompletableFuture<BatchWriteResult> tryWriteAsync(String table, List<RowChange> rows) {
    // Before the first write: a null element refuses the whole call.
    List<RowChange> written = List.copyOf(rows);
    WriteEngine engine = engines.shared(table, maps::of);
    WriteCall call = new WriteCall(written.size());
    for (int i = 0; i < written.size(); i++) {
      call.add(engine, written.get(i), i);
    }
    engine.hurry();
    return call.result();
  }

  /**
   * Writes rows of one partition together: all rows are applied, or none. Conditions and increments
   * of a row are judged over the rows before it. The changes stand together in the stream: {@link
   * io.tunnel.sdk.processor.StreamRecord#atomicBatch}. At most {@link
   * io.tunnel.model.Limits#ATOMIC_ROWS_MAX} rows and {@link
   * io.tunnel.model.Limits#ATOMIC_BYTES_MAX} bytes.
   *
   * @return the position of each row
   * @throws WriteFailedException when the rows were not applied, or are in doubt, all of them; the
   *     row that the server refused has the reason, and the other rows have {@link
   *     io.tunnel.model.ErrorCode#BATCH_REFUSED}
   */
  public BatchWriteResult writeAtomically(String table, List<RowChange> rows) {
    List<RowChange> written = List.copyOf(rows);
    return WriteFailedException.requireApplied(table, written, tryWriteAtomically(table, written));
  }

  /** As {@link #writeAtomically}, but returns the outcome of each row instead of throwing. */
  public BatchWriteResult tryWriteAtomically(String table, List<RowChange> rows) {
    EventLoops.requireMayBlock("write");
    return Caller.await(tryWriteAtomicallyAsync(table, rows));
  }

  /**
   * As {@link #tryWriteAtomically} without waiting; the future completes when the rows have an
   * outcome, and never exceptionally. Blocks where {@link #tryWriteAsync} does.
   */
  public CompletableFuture<BatchWriteResult> tryWriteAtomicallyAsync(
      String table, List<RowChange> rows) {
    WriteEngine engine = engines.shared(table, maps::of);
    CompletableFuture<BatchWriteResult> result = WriteCall.atomic(engine, rows);
    engine.hurry();
    return result;
  }

  /**
   * Follows keys of a table: changes from now on, after a position, or the present rows first.
   *
   * @throws io.tunnel.model.RefusedException {@code TABLE_NOT_FOUND} when there is no such table,
   *     or when the table of the position was dropped, also if a table of the name exists again.
   *     Other refusals come from {@link Watch#poll}
   * @throws IllegalArgumentException when the keys do not match the key of the table, or the
   *     position is of other keys
   */
  public Watch watch(String table, WatchedKeys keys, WatchConfig how) {
    EventLoops.requireMayBlock("watch");
    return watches.open(
        partitionMap(table), keys, how, () -> findPositions(table, Optional.empty()));
  }

  /** Opens a buffered writer with {@link TableWriterConfig#DEFAULTS}. */
  public TableWriter openWriter(String table) {
    return openWriter(table, TableWriterConfig.DEFAULTS);
  }

  /** Opens a buffered writer, the fast path for many rows. */
  public TableWriter openWriter(String table, TableWriterConfig writerConfig) {
    return Caller.await(openingWriter(table, writerConfig));
  }

  /** As {@link #openWriter(String, TableWriterConfig)} without waiting. */
  CompletableFuture<TableWriter> openingWriter(String table, TableWriterConfig writerConfig) {
    return engines
        .opening(maps.of(table), writerConfig)
        .thenApply(engine -> new TableWriter(table, engine, () -> engines.forget(engine)));
  }

  /**
   * Opens a session for bound rows, which the server deletes when the session ends. The session
   * lives until it is closed, as long as this client renews it: it does so by itself.
   *
   * @param lease how long the session lives when the server hears nothing, 2 seconds to an hour:
   *     also how long rows outlive a program that was killed
   * @throws io.tunnel.model.RefusedException {@code INVALID_REQUEST} for another lease, {@code
   *     LIMIT_REACHED} when there are too many sessions
   */
  public RowSession openSession(Duration lease) {
    return sessions.open(lease);
  }

  private TableReads reads(String table) {
    TableReads known = readsByTable.get(table);
    if (known == null) {
      known = new TableReads(caller, maps.of(table));
      readsByTable.put(table, known);
    }
    return known;
  }

  private <T extends Control> T read(Operation operation, Control request, Class<T> type) {
    return Json.decode(caller.awaitAnswer(operation, Json.encode(request)), type);
  }

  private <T extends Control> T change(Operation operation, Control request, Class<T> type) {
    return Json.decode(caller.awaitChangeOnce(Subject.CATALOG, operation, request), type);
  }

  /**
   * Waits until every row in flight has an outcome, then closes row sessions and connections; a
   * session that the server does not hear of ends with its lease. Concurrent and later calls of
   * other threads end: reads, and first writes to a table, fail with a {@link ConnectionException};
   * rows have the outcome {@code NOT_SENT}. Idempotent.
   */
  @Override
  public void close() {
    EventLoops.requireMayBlock("close");
    watches.close();
    try {
      sessions.close();
      engines.close();
    } finally {
      nodes.close();
    }
  }
}
