package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.SessionProof;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Durability;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.seeds.publish.PathRows.Place;
import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.Connection;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.RowSessionControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Paths as rows of this service. A publisher has a session, and creates rows that are bound to it;
 * rows that are set are of no session. A subscriber watches the keys of its publisher, without
 * columns, and reads a row by its key.
 *
 * <p>The connections are the SDK's; the requests are not, because {@code TableClient} would measure
 * something else:
 *
 * <ul>
 *   <li>A write of the SDK is retried after a refusal that may pass, or a lost connection. Here
 *       each request is asked once, and a refused request counts as failed, as with the peer.
 *   <li>A {@code TableClient} has a connection for requests and another for watches. A case has one
 *       connection for each publisher and each subscriber, as the published load has.
 *   <li>A {@code Watch} is polled by a thread. 3,000 subscribers would need 3,000 threads, or would
 *       hear events in turns; here the event loop that receives an event notes its time.
 * </ul>
 */
final class TablePublishing implements Publishing {

  /** Threads of all connections. */
  private static final int THREADS = 2;

  private static final long SECONDS_MAX = 60;
  private static final Duration OPEN_MAX = Duration.ofSeconds(SECONDS_MAX);

  /** How long a cluster may take until each partition of a new table is led. */
  private static final Duration LEADER_MAX = Duration.ofMinutes(1);

  private static final int LEADER_LOOKS_MAX = 1_200;
  private static final int LEADER_LOOK_MS = 50;
  private static final Duration LEASE = Duration.ofSeconds(30);

  /** Renewals in a lease, as in the SDK. */
  private static final int RENEWALS = 3;

  /** Bytes that a watch may have waiting. */
  private static final int CREDIT_BYTES = 256 << 10;

  private final PublishCase what;
  private final LoadedConfig config;
  private final boolean isBound;
  private final PathRows rows;
  private final TableClient admin;
  private final TableInfo table;

  /** By publisher. */
  private final List<PartitionInfo> partitions;

  private final List<EventLoops.Place> threads = new ArrayList<>();
  private List<Connection> publishers = List.of();
  private List<SessionProof> sessions = List.of();
  private List<Subscriber> subscribers = List.of();

  /** Set when connections may end. */
  private volatile boolean isClosing;

  /**
   * What a case needs to know of the servers.
   *
   * @param server where it is, and who asks
   * @param partitions of a table, each with the paths of as many publishers
   * @param isBound whether rows are bound to sessions: of a server that is alone
   */
  record Terms(ClientConfig server, int partitions, boolean isBound) {}

  private TablePublishing(PublishCase what, Terms terms, TableClient admin, TableInfo table) {
    this.what = what;
    this.config = LoadedConfig.of(terms.server().withConnectDeadline(OPEN_MAX));
    this.isBound = terms.isBound();
    this.rows = new PathRows(what.bytes());
    this.admin = admin;
    this.table = table;
    this.partitions =
        IntStream.range(0, what.publishers())
            .mapToObj(publisher -> partition(table, publisher))
            .toList();
    for (int i = 0; i < THREADS; i++) {
      threads.add(new EventLoops(1).place());
    }
  }

  /**
   * Makes a table and connects.
   *
   * @param name a table that no case before had
   */
  static TablePublishing open(PublishCase what, Terms terms, String name) throws Exception {
    TableClient admin = TableClient.connect(terms.server().withRetryDeadline(LEADER_MAX));
    try {
      int partitions = Math.min(terms.partitions(), what.publishers());
      CreateTableRequest.Builder request =
          CreateTableRequest.builder(name)
              .key(PathRows.KEY.get(0).name(), PathRows.KEY.get(0).type())
              .durability(Durability.FSYNC);
      for (int i = 1; i < partitions; i++) {
        request.splitPoint(PathRows.directory(i * what.publishers() / partitions));
      }
      var unused = admin.createTable(request.build());
      TablePublishing publishing =
          new TablePublishing(
              what,
              terms,
              admin,
              terms.isBound() ? admin.partitionMap(name) : led(what, admin, name));
      publishing.connect();
      return publishing;
    } catch (Exception e) {
      admin.close();
      throw e;
    }
  }

  /**
   * A table of a cluster, when each of its partitions is led. A strict read is answered when the
   * leader that the map names has begun to serve the partition.
   */
  private static TableInfo led(PublishCase what, TableClient admin, String name)
      throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    for (int publisher = 0; publisher < what.publishers(); publisher++) {
      var unused = admin.getRow(name, PathRows.key(publisher, 0), ReadMode.STRICT);
    }
    for (int look = 0; look < LEADER_LOOKS_MAX; look++) {
      TableInfo table = admin.partitionMap(name);
      if (table.partitions().stream().allMatch(each -> each.leader().isPresent())) {
        return table;
      }
      var unused = never.await(LEADER_LOOK_MS, TimeUnit.MILLISECONDS);
    }
    throw new IllegalStateException(
        "after "
            + LEADER_LOOKS_MAX * LEADER_LOOK_MS
            + " ms nobody leads each partition of table "
            + name);
  }

  private void connect() throws Exception {
    try {
      publishers =
          Load.open(
              what.publishers(),
              number -> connection(number, number, PushReceiver.NONE),
              "the connection of publisher",
              SECONDS_MAX);
      if (isBound) {
        sessions =
            Load.open(what.publishers(), this::session, "the session of publisher", SECONDS_MAX);
      }
      subscribers =
          Load.open(
              what.subscribers(),
              number -> {
                Subscriber subscriber = new Subscriber(number);
                return connection(number, what.publisherOf(number), subscriber)
                    .thenApply(subscriber::on);
              },
              "the connection of subscriber",
              SECONDS_MAX);
    } catch (Exception e) {
      closeConnections();
      throw e;
    }
  }

  private CompletableFuture<Connection> connection(
      int number, int publisher, PushReceiver receiver) {
    Endpoint server =
        partitions
            .get(publisher)
            .leader()
            .map(Endpoint::of)
            .orElseGet(() -> config.config().endpoints().get(0));
    return Connection.open(port(number), config, server, receiver);
  }

  private ClientPort port(int number) {
    return ClientPort.of(threads.get(number % THREADS), new SystemClock());
  }

  /** The partition with the paths of a publisher. */
  private static PartitionInfo partition(TableInfo table, int publisher) {
    Bytes directory = KeyCodec.encode(PrimaryKeyValue.fromString(PathRows.directory(publisher)));
    return table.partitions().stream()
        .filter(
            each -> each.from().map(KeyCodec::encode).orElse(Bytes.EMPTY).compareTo(directory) <= 0)
        .filter(
            each ->
                each.to().isEmpty() || KeyCodec.encode(each.to().get()).compareTo(directory) > 0)
        .findFirst()
        .orElseThrow();
  }

  private Place place(int publisher) {
    return new Place(table.tableId(), partitions.get(publisher).id());
  }

  private CompletableFuture<SessionProof> session(int publisher) {
    Connection connection = publishers.get(publisher);
    Bytes secret = port(publisher).secret(SessionProof.SECRET_BYTES);
    byte[] request = Json.encode(new RowSessionControl.Open(LEASE.toMillis(), secret));
    return connection
        .request(Operation.OPEN_ROW_SESSION, request)
        .thenApply(
            answer -> {
              long id = Json.decode(answer.payload(), RowSessionControl.Opened.class).sessionId();
              byte[] named = Json.encode(new RowSessionControl.Named(id, secret));
              renew(publisher, connection, named);
              return new SessionProof(id, secret);
            });
  }

  /** Renews a session again and again, until the event loop is closed. */
  private void renew(int publisher, Connection connection, byte[] named) {
    long periodMs = LEASE.toMillis() / RENEWALS;
    var unused =
        threads
            .get(publisher % THREADS)
            .loop()
            .scheduleAtFixedRate(
                () -> {
                  // A session that is lost fails the next write.
                  var unusedAnswer = connection.request(Operation.RENEW_ROW_SESSION, named);
                },
                periodMs,
                periodMs,
                TimeUnit.MILLISECONDS);
  }

  @Override
  public void follow(Events events) throws InterruptedException {
    Map<Integer, PartitionPositions> now = new HashMap<>();
    for (PartitionPositions each :
        admin.findPositions(table.meta().name(), Optional.empty()).partitions()) {
      now.put(each.partition(), each);
    }
    var unused =
        Load.open(
            what.subscribers(),
            number -> subscribers.get(number).follow(events, now),
            "the watch of subscriber",
            SECONDS_MAX);
  }

  @Override
  public void ask(int publisher, Request request, int path, Consumer<Optional<String>> answer) {
    Optional<SessionProof> session =
        sessions.isEmpty() || what.action() == Action.SET
            ? Optional.empty()
            : Optional.of(sessions.get(publisher));
    byte[] payload = rows.write(request, publisher, path, place(publisher), session);
    tell(publishers.get(publisher).request(Operation.WRITE, payload), PathRows::wrongWrite, answer);
  }

  @Override
  public void read(int subscriber, int path, Consumer<Optional<String>> answer) {
    int publisher = what.publisherOf(subscriber);
    byte[] payload =
        new GetRowRequest(table.tableId(), PathRows.encodedKey(publisher, path)).encode();
    tell(
        subscribers.get(subscriber).connection.request(Operation.GET_ROW, payload),
        bytes -> rows.wrongRead(bytes, publisher, path),
        answer);
  }

  private static void tell(
      CompletableFuture<Frame> answered,
      Function<byte[], Optional<String>> wrong,
      Consumer<Optional<String>> answer) {
    var unused =
        answered
            .thenApply(frame -> wrong.apply(frame.payload()))
            .exceptionally(failure -> Optional.of(String.valueOf(failure.getMessage())))
            .thenAccept(answer);
  }

  @Override
  public void close() {
    isClosing = true;
    try {
      if (!sessions.isEmpty()) {
        endSessions();
      }
    } finally {
      closeConnections();
      try {
        admin.dropTable(table.meta().name());
      } finally {
        admin.close();
      }
    }
  }

  /** Ends all sessions, so that none outlives the case by its lease. */
  private void endSessions() {
    CompletableFuture<?>[] ended =
        IntStream.range(0, sessions.size())
            .mapToObj(this::endSession)
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(ended).get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the sessions of publishers were not ended: " + e, e);
    }
  }

  private CompletableFuture<Frame> endSession(int publisher) {
    SessionProof session = sessions.get(publisher);
    return publishers
        .get(publisher)
        .request(
            Operation.CLOSE_ROW_SESSION,
            Json.encode(new RowSessionControl.Named(session.session(), session.secret())));
  }

  private void closeConnections() {
    isClosing = true;
    threads.forEach(EventLoops.Place::close);
  }

  /** Follows the paths of one publisher. Its event loop calls it. */
  private final class Subscriber implements PushReceiver {
    private final int number;
    private Connection connection;
    private Optional<Events> events = Optional.empty();
    private int handle;
    private int usedBytes;

    Subscriber(int number) {
      this.number = number;
    }

    Subscriber on(Connection opened) {
      connection = opened;
      return this;
    }

    CompletableFuture<Boolean> follow(Events heard, Map<Integer, PartitionPositions> now) {
      int publisher = what.publisherOf(number);
      int partition = partitions.get(publisher).id();
      KeyTerms keys =
          new KeyTerms(
              IntStream.range(0, what.pathsOfPublisher())
                  .mapToObj(path -> PathRows.encodedKey(publisher, path))
                  .toList(),
              List.of(),
              true);
      PartitionControl.ReadPartition behind =
          new PartitionControl.ReadPartition(
              partition,
              ChannelType.Stream,
              now.get(partition).latest(),
              Bytes.EMPTY,
              Optional.empty(),
              Optional.empty());
      return connection
          .request(Operation.WATCH, Json.encode(new PartitionControl.Watch(behind, keys)))
          .thenApply(
              answer -> {
                events = Optional.of(heard);
                handle = Json.decode(answer.payload(), ClusterControl.Attached.class).handle();
                grant(CREDIT_BYTES);
                return true;
              });
    }

    private void grant(int bytes) {
      connection.push(Operation.CREDIT, new Credit(handle, PartitionControl.EPOCH, bytes).encode());
    }

    @Override
    public void pushed(Frame frame) {
      if (frame.kind() == FrameKind.ERROR) {
        ErrorPayload error = ErrorPayload.decode(frame.payload());
        failed("the server does not go on: " + error.code() + ": " + error.message());
      } else if (frame.operation() == Operation.DELIVER && events.isPresent()) {
        deliver(frame.payload());
      }
    }

    private void deliver(byte[] payload) {
      for (ChangeBatch batch : Delivery.decode(payload).batches()) {
        RowCursor row = batch.rows();
        while (row.next()) {
          // The end of a session deletes its rows.
          if (row.kind() == ChangeKind.PUT) {
            events.get().created(number, PathRows.path(row));
          }
        }
      }
      usedBytes += payload.length;
      if (usedBytes >= CREDIT_BYTES / 2) {
        grant(usedBytes);
        usedBytes = 0;
      }
    }

    @Override
    public void lost(ConnectionException reason) {
      failed(reason.getMessage());
    }

    private void failed(String why) {
      if (!isClosing) {
        events.ifPresent(each -> each.failed("connection " + number + ": " + why));
      }
    }
  }
}
