package io.tunnel.sdk;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.answer.Absence;
import io.tunnel.sdk.answer.TableAnswers;
import io.tunnel.sdk.answer.TableFigures;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.sdk.write.PartitionMaps;
import io.tunnel.sdk.write.WriteCall;
import io.tunnel.sdk.write.WriteEngine;
import io.tunnel.sdk.write.WriteEngines;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tables and their rows, over one connection that is opened again when it is lost, or one to each
 * node of a cluster that leads something that is asked for. Thread-safe.
 *
 * <p>Methods that wait throw {@link io.tunnel.model.RefusedException} when the server refuses, and
 * {@link ConnectionException} when it cannot be reached or does not answer; what can be repeated
 * without harm is repeated before that, for {@link ClientConfig#retryDeadline}. They must not be
 * called from a callback of the SDK: an {@link IllegalStateException} says so.
 */
public final class TableClient implements AutoCloseable {

  private static final int LOOPS = 1;

  /** Rows of one call are sent when all are there, so they need not linger by time. */
  private static final Duration UNTIL_SENT = Duration.ofHours(1);

  private final EventLoops loops;
  private final Nodes nodes;
  private final Caller caller;
  private final Ticker ticker = new SystemClock();
  private final Map<String, TableReads> readsByTable = new ConcurrentHashMap<>();
  private final WriteEngines engines;

  private TableClient(ClientConfig config) {
    LoadedConfig loaded = LoadedConfig.of(config); // First: it may throw.
    this.loops = EventLoops.start(LOOPS);
    this.nodes = new Nodes(loaded, loops, ticker);
    this.caller = new Caller(nodes, ticker);
    this.engines =
        new WriteEngines(
            nodes,
            ticker,
            TableWriterConfig.DEFAULTS
                .withLinger(UNTIL_SENT)
                .withBufferBytesMax(config.inFlightBytesMax()));
  }

  /** Connects to the service at {@code endpoint}, as {@link ClientConfig#of(String)} reads it. */
  public static TableClient connect(String endpoint) {
    return connect(ClientConfig.of(endpoint));
  }

  /**
   * Connects.
   *
   * @throws ConnectionException when the server cannot be reached before the connect deadline
   * @throws io.tunnel.model.RefusedException when it speaks another version of the protocol
   * @throws io.tunnel.sdk.security.ProfileException when a file of the configuration's security
   *     cannot be used, here and where other clients, readers and workers are made
   */
  public static TableClient connect(ClientConfig config) {
    TableClient client = new TableClient(config);
    try {
      var unused = Caller.await(client.nodes.connection(Optional.empty()));
      return client;
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** Creates a table of one partition. */
  public TableInfo createTable(TableMeta meta) {
    return createTable(meta, List.of());
  }

  /** Creates a table as {@link CreateTableRequest#builder} collected it. */
  public TableInfo createTable(CreateTableRequest request) {
    return createTable(request.meta(), request.splitPoints());
  }

  /**
   * Creates a table with a partition more than split points.
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
   * Creates a table unless there is one of that name, for a program that is started again and
   * again. A table that is there keeps its partitions and its options, whatever the request says of
   * them.
   *
   * @return the table without figures
   * @throws io.tunnel.model.RefusedException {@code TABLE_EXISTS} when the table that is there has
   *     another key
   */
  public TableInfo createTableIfAbsent(CreateTableRequest request) {
    TableInfo table =
        Absence.of(
            ErrorCode.TABLE_NOT_FOUND,
            ErrorCode.TABLE_EXISTS,
            () -> partitionMap(request.meta().name()),
            () -> createTable(request));
    if (!table.meta().primaryKey().equals(request.meta().primaryKey())) {
      throw new RefusedException(
          ErrorCode.TABLE_EXISTS,
          "table '"
              + table.meta().name()
              + "' exists with the key "
              + table.meta().primaryKey()
              + ", and not with "
              + request.meta().primaryKey()
              + "; drop it, or name another table");
    }
    return table;
  }

  /** A table with the figures of its partitions; the server counts rows: this may take a second. */
  public TableInfo describeTable(String table) {
    EventLoops.requireMayBlock("describeTable");
    return TableAnswers.counted(new TableFigures(caller, table).gather());
  }

  /** A table with its partitions, without figures: cheap. */
  public TableInfo partitionMap(String table) {
    return TableAnswers.uncounted(
        learned(
            read(Operation.PARTITION_MAP, new Control.TableName(table), TableDescription.class)));
  }

  /**
   * Behind which positions the changes of a table's partitions can be read with a {@link
   * PartitionReader}.
   *
   * @param timeMs also in front of the first change committed at or after this moment, in
   *     milliseconds since 1970: {@code INVALID_POSITION} when it has not come, {@code
   *     HISTORY_LOST} when changes of that time may be kept no more
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
   * Gives a table other options: all of {@code options}, whatever it had.
   *
   * @return the table without figures
   */
  public TableInfo alterTable(String table, TableOptions options) {
    return TableAnswers.uncounted(
        change(Operation.ALTER_TABLE, new AlterTable(table, options), TableDescription.class));
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
   * A row by its key, read in that mode.
   *
   * @throws IllegalArgumentException when the key does not match the table's
   */
  public Optional<Row> getRow(String table, PrimaryKey key, ReadMode mode) {
    return reads(table).row(key, mode);
  }

  /**
   * A row by its key; the future fails with what {@link #getRow} throws, and completes on a
   * callback thread. Blocks on the first read of a table, whose partition map is read then.
   *
   * @throws IllegalArgumentException when the key does not match the table's
   */
  public CompletableFuture<Optional<Row>> getRowAsync(String table, PrimaryKey key) {
    return getRowAsync(table, key, ReadMode.BOUNDED);
  }

  /** A row by its key, read in that mode; see {@link #getRowAsync(String, PrimaryKey)}. */
  public CompletableFuture<Optional<Row>> getRowAsync(String table, PrimaryKey key, ReadMode mode) {
    return reads(table).rowAsync(key, mode);
  }

  /** The key columns of a table now; unlike {@link #describeTable} this counts no rows. */
  public List<PrimaryKeySchema> primaryKeyOf(String table) {
    EventLoops.requireMayBlock("primaryKeyOf");
    return Caller.await(maps(table).read()).meta().primaryKey();
  }

  /** The rows of a range, fetched page by page while they are iterated. */
  public RowRange getRange(String table, RangeQuery query) {
    return new RowRange(reads(table), query);
  }

  /**
   * Writes rows, and returns when all of them are applied. Rows of one key are applied in the order
   * given; a row that cannot be written does not keep its neighbours from being written.
   *
   * @return where each row came to stand
   * @throws WriteFailedException when a row was not applied, or may not have been; it has what
   *     became of each
   */
  public BatchWriteResult write(String table, List<RowChange> rows) {
    List<RowChange> written = List.copyOf(rows);
    return WriteFailedException.requireApplied(table, written, tryWrite(table, written));
  }

  /** As {@link #write}, but reports what became of each row instead of throwing. */
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
   * first write to a table, whose partition map is read then.
   */
  public CompletableFuture<BatchWriteResult> tryWriteAsync(String table, List<RowChange> rows) {
    // Before the first one is written: a null among them refuses all.
    List<RowChange> written = List.copyOf(rows);
    WriteEngine engine = engines.shared(table, this::maps);
    WriteCall call = new WriteCall(written.size());
    for (int i = 0; i < written.size(); i++) {
      call.add(engine, written.get(i), i);
    }
    engine.hurry();
    return call.result();
  }

  /** Opens a buffered writer with {@link TableWriterConfig#DEFAULTS}. */
  public TableWriter openWriter(String table) {
    return openWriter(table, TableWriterConfig.DEFAULTS);
  }

  /** Opens a buffered writer, the fast path for many rows. */
  public TableWriter openWriter(String table, TableWriterConfig writerConfig) {
    WriteEngine engine = engines.open(maps(table), writerConfig);
    return new TableWriter(table, engine, () -> engines.forget(engine));
  }

  private TableReads reads(String table) {
    TableReads known = readsByTable.get(table);
    if (known == null) {
      known = new TableReads(caller, maps(table));
      readsByTable.put(table, known);
    }
    return known;
  }

  private PartitionMaps maps(String table) {
    byte[] payload = Json.encode(new Control.TableName(table));
    return () ->
        caller
            .ask(Operation.PARTITION_MAP, payload)
            .thenApply(frame -> learned(Json.decode(frame.payload(), TableDescription.class)));
  }

  /** Requests about a partition go to the node that leads it, if the map says which. */
  private TableDescription learned(TableDescription map) {
    for (PartitionDescription partition : map.partitions()) {
      Subject subject = Subject.partition(map.meta().name(), partition.id());
      Endpoint.told(partition.leader()).ifPresent(leader -> caller.learn(subject, leader));
    }
    return map;
  }

  private <T extends Control> T read(Operation operation, Control request, Class<T> type) {
    return Json.decode(caller.awaitAnswer(operation, Json.encode(request)), type);
  }

  private <T extends Control> T change(Operation operation, Control request, Class<T> type) {
    return Json.decode(caller.awaitChangeOnce(Subject.CATALOG, operation, request), type);
  }

  /**
   * Waits until everything that is being written has an outcome, then closes the connection. Calls
   * of other threads that are under way then, or begin later, end: those that read, and those that
   * would write to a table for the first time, with a {@link ConnectionException}; rows are told
   * that they were not sent. Idempotent.
   */
  @Override
  public void close() {
    EventLoops.requireMayBlock("close");
    try {
      engines.close();
    } finally {
      nodes.close();
      loops.close();
    }
  }
}
