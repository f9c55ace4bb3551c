package io.tunnel.sdk.testing;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.core.TunnelEffect.OverReason;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.answer.TunnelAnswers;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.testing.table.MemoryPartition;
import io.tunnel.sdk.testing.table.MemoryTable;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.Control;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The service in the memory of a test: clients of the SDK connect to {@link #endpoint} and find
 * tables, tunnels and sessions that behave as on the server. The service needs no disk, and its
 * time passes only when a test calls {@code advance}.
 *
 * <p>The service is strict: it refuses requests that a correct client never sends, and fails the
 * test on {@link #verify} or {@link #close}. Methods may be called from any thread, and take effect
 * before they return.
 */
public final class InMemoryTunnelService implements AutoCloseable {

  private static final Duration AWAIT_DEADLINE = Duration.ofSeconds(20);

  private final MemoryService service = new MemoryService();
  private final Keys keys = new Keys();
  private final Faults faults = new Faults();
  private final Loop loop = new Loop();
  private final Requests requests = new Requests(service, faults, this::changed);
  private boolean isClosed;

  private InMemoryTunnelService() {}

  /** A service without tables that listens on a free port of the loopback address. */
  public static InMemoryTunnelService start() {
    InMemoryTunnelService started = new InMemoryTunnelService();
    started.loop.listen(
        () -> new Peer(started.requests, started.keys, started.service.violations()));
    return started;
  }

  /** The endpoint for clients, for {@link io.tunnel.sdk.ClientConfig#of(String)}. */
  public String endpoint() {
    return "127.0.0.1:" + loop.port();
  }

  /**
   * Accepts a key. From the first key on, the service authenticates every client, as a closed
   * server does: other clients are refused with {@code NOT_AUTHENTICATED}. Clients connect without
   * TLS and have all rights; the kit knows no permissions.
   *
   * @param principal the principal of the key
   * @throws IllegalArgumentException when the service has {@value Keys#KEYS_MAX} keys already
   */
  public InMemoryTunnelService withKey(String principal, AccessKey key) {
    run(() -> keys.add(principal, key));
    return this;
  }

  /**
   * Revokes a key: its clients receive {@code NOT_AUTHENTICATED} and lose their connections, and
   * the key is refused from then on.
   *
   * @throws IllegalArgumentException when the key is unknown
   */
  public void revokeKey(String keyId) {
    run(
        () -> {
          keys.remove(keyId);
          requests.peers().forEach(peer -> peer.revoked(keyId));
        });
  }

  private void changed() {
    service.pump();
    loop.changed();
  }

  private void run(Runnable action) {
    var unused =
        call(
            () -> {
              action.run();
              changed();
              return true;
            });
  }

  private <T> T call(Supplier<T> action) {
    return loop.call(action);
  }

  // Strictness

  /** Switches rules off; all rules when called without an argument. */
  public InMemoryTunnelService lenient(Rule... rules) {
    run(() -> service.violations().forgive(List.of(rules)));
    return this;
  }

  /**
   * Sets the most credit of a channel, as in {@link
   * io.tunnel.sdk.TunnelWorkerConfig#setChannelCreditBytes}; default 1 MiB, as there.
   */
  public InMemoryTunnelService creditBytesMax(long bytes) {
    run(() -> requests.creditBytesMax(bytes));
    return this;
  }

  /** The violations of the rules that {@link #verify} has not thrown yet. */
  public List<String> violations() {
    return call(() -> service.violations().all());
  }

  /**
   * Fails the test when a client has violated a rule.
   *
   * @throws AssertionError with all violations since the last call
   */
  public void verify() {
    List<String> found = call(() -> service.violations().take());
    if (!found.isEmpty()) {
      throw new AssertionError("a client broke the rules:\n" + String.join("\n", found));
    }
  }

  /** Closes all connections, then verifies as {@link #verify}. Idempotent. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    List<String> found = call(() -> service.violations().take());
    loop.close();
    if (!found.isEmpty()) {
      throw new AssertionError("a client broke the rules:\n" + String.join("\n", found));
    }
  }

  // Time

  /** The service's time, for commit times, leases and deadlines. Starts in the year 2000. */
  public Instant now() {
    return Instant.EPOCH.plusNanos(
        TimeUnit.MICROSECONDS.toNanos(call(() -> service.time().micros())));
  }

  /**
   * Lets time pass without heartbeats: leases and deadlines end, rows expire whose time to live is
   * over, and requests whose {@linkplain #delay delay} is over are served.
   */
  public void advance(Duration duration) {
    run(
        () -> {
          service.time().advance(duration);
          service.tick();
        });
  }

  /** Lets time pass with heartbeats of every worker and row session: no lease ends. */
  public void advanceWithHeartbeats(Duration duration) {
    run(
        () -> {
          service.time().advance(duration);
          service.sessions().forEach(session -> session.tunnel().renew(session));
          service.rowSessions().renewAll();
          service.tick();
        });
  }

  // Tables and tunnels

  /** Creates a table with one partition, as {@link TableClient#createTable(TableMeta)} does. */
  public void createTable(TableMeta meta) {
    createTable(new CreateTableRequest(meta, List.of()));
  }

  /** Creates a table, as {@link TableClient#createTable(CreateTableRequest)} does. */
  public void createTable(CreateTableRequest request) {
    run(
        () -> {
          var unused =
              service.createTable(new Control.CreateTable(request.meta(), request.splitPoints()));
        });
  }

  /** Creates a tunnel that starts with the oldest change or row; returns its id. */
  public String createTunnel(String table, String tunnel, TunnelType type) {
    Control.CreateTunnel request =
        new Control.CreateTunnel(table, tunnel, type, StreamStart.EARLIEST);
    return call(() -> service.createTunnel(request).info().tunnelId());
  }

  /**
   * Writes rows in order, without a client.
   *
   * @throws RefusedException when a row is rejected
   */
  public void write(String table, RowChange... rows) {
    run(
        () -> {
          for (RowChange row : rows) {
            writeOne(service.table(table), row);
          }
        });
  }

  private void writeOne(MemoryTable table, RowChange row) {
    List<PrimaryKeySchema> schema = table.meta().primaryKey();
    Bytes key = KeyCodec.encode(row.primaryKey().numbered(0), schema);
    BatchBuilder builder = new BatchBuilder(schema, 256);
    builder.add(row);
    byte[] bytes = builder.build(table.partitionOf(key).id());
    WriteResult result =
        requests.write(
            new WriteRequest(
                table.tableId(), Optional.empty(), ChangeBatch.parse(bytes, 0, bytes.length)));
    for (WriteResult.Rejection rejection : result.rejections()) {
      throw new RefusedException(rejection.code(), "the row " + row + " was rejected");
    }
  }

  /** The rows of a table in the order of their keys, without their commit times. */
  public List<Row> rows(String table) {
    return call(
        () ->
            service.table(table).partitions().stream()
                .map(partition -> partition.rows().values())
                .flatMap(Collection::stream)
                .map(row -> new Row(row.primaryKey(), row.columns()))
                .toList());
  }

  /** Every change of a table, partition by partition, in the order of positions. */
  public List<StreamRecord> changes(String table) {
    return call(() -> changes(service.table(table)));
  }

  private static List<StreamRecord> changes(MemoryTable table) {
    List<StreamRecord> records = new ArrayList<>();
    KeyDecoder keys = new KeyDecoder(table.meta().primaryKey());
    for (MemoryPartition partition : table.partitions()) {
      for (ChangeBatch batch : partition.changes()) {
        for (RowCursor row = batch.rows(); row.next(); ) {
          records.add(new StreamRecord(row, batch.basePosition() + row.index(), keys));
        }
      }
    }
    return records;
  }

  /** The present state of a tunnel's channels. */
  public List<ChannelInfo> channels(String table, String tunnel) {
    return call(
        () ->
            service.tunnel(table, tunnel).describe().channels().stream()
                .map(TunnelAnswers::channel)
                .toList());
  }

  /** The ids of a tunnel's open sessions, oldest first. */
  public List<String> sessions(String table, String tunnel) {
    return call(
        () -> service.tunnel(table, tunnel).sessions().stream().map(MemorySession::id).toList());
  }

  /** The checkpointed position of each channel, by the channel's id. */
  public Map<String, Long> checkpointed(String table, String tunnel) {
    Map<String, Long> positions = new LinkedHashMap<>();
    channels(table, tunnel)
        .forEach(channel -> positions.put(channel.getChannelId(), channel.checkpointed()));
    return positions;
  }

  // Waiting for a condition, not for time

  /**
   * Returns when {@code condition} holds. The service evaluates the condition after each change, on
   * its own thread; the condition may call methods that look at the service, and must not block.
   *
   * @param what the condition in words, for people
   * @throws AssertionError when the condition does not hold within 20 seconds
   */
  public void await(String what, BooleanSupplier condition) {
    await(condition, () -> what);
  }

  private void await(BooleanSupplier condition, Supplier<String> whatIsMissing) {
    loop.await(condition, AWAIT_DEADLINE, whatIsMissing);
  }

  /**
   * Returns when {@code sessions} sessions hold all runnable channels of a tunnel, and no session
   * has to give a channel back.
   */
  public void awaitAssigned(String table, String tunnel, int sessions) {
    await(
        () -> {
          MemoryTunnel of = service.tunnel(table, tunnel);
          return of.sessions().size() == sessions && of.isSettled();
        },
        () -> sessions + " sessions with all channels of " + describe(table, tunnel));
  }

  /** Returns when at least {@code requestCount} requests are {@linkplain #delay delayed}. */
  public void awaitDelayed(int requestCount) {
    await(requestCount + " delayed requests", () -> service.time().waiting() >= requestCount);
  }

  /** Returns when a channel is checkpointed at {@code position} or beyond. */
  public void awaitCheckpointed(String table, String tunnel, String channelId, long position) {
    await(
        () -> checkpointed(table, tunnel).getOrDefault(channelId, -1L) >= position,
        () -> channelId + " checkpointed at " + position + ": " + describe(table, tunnel));
  }

  /**
   * Returns when all present rows and changes of the tunnel are processed and checkpointed. A
   * worker checkpoints on its own clock: configure a short interval.
   */
  public void awaitProcessed(String table, String tunnel) {
    await(
        () -> service.tunnel(table, tunnel).isProcessed(),
        () -> "everything checkpointed: " + describe(table, tunnel));
  }

  private String describe(String table, String tunnel) {
    return channels(table, tunnel).toString();
  }

  // Faults

  /** Closes all connections, which ends all sessions; clients may reconnect at once. */
  public void loseConnections() {
    run(() -> requests.peers().forEach(Peer::close));
  }

  /** Refuses the next request of a kind; further calls refuse further requests. */
  public void refuseNext(ClientRequest request, ErrorCode code) {
    run(() -> faults.refuse(request, code));
  }

  /**
   * Fails the next writes like a failed disk: the writes are not applied, and their rows are in
   * doubt.
   */
  public void failNextWrites(int writes) {
    for (int i = 0; i < writes; i++) {
      refuseNext(ClientRequest.WRITE, ErrorCode.STORAGE_FAILED);
    }
  }

  /**
   * Applies the next writes, and says that nobody knows whether they were applied: their rows are
   * in doubt, and they are there.
   */
  public void doubtNextWrites(int writes) {
    run(() -> faults.doubt(writes));
  }

  /**
   * Applies the next writes, and closes their connections instead of answering them. Clients repeat
   * the writes, and are told what became of them the first time.
   */
  public void loseAnswersOfNextWrites(int writes) {
    run(() -> faults.loseAnswers(writes));
  }

  /**
   * Serves requests of a kind only after a {@linkplain #advance time}; {@link Duration#ZERO} ends
   * the delay of coming requests. When the connection is lost before, its writes are applied all
   * the same, as by a server, and its other requests are dropped.
   */
  public void delay(ClientRequest request, Duration delay) {
    run(() -> faults.delay(request, delay));
  }

  /** Delivers nothing until {@link #release}. */
  public void holdBack() {
    run(() -> service.holdBack(true));
  }

  /** Ends {@link #holdBack}. */
  public void release() {
    run(() -> service.holdBack(false));
  }

  /**
   * Another node of a cluster leads the partition from now on: nothing of it is delivered to those
   * who are attached to it, until they attach again. Workers and {@link
   * io.tunnel.sdk.PartitionReader}s do that by themselves, after a short pause, and go on behind
   * what they have received.
   *
   * @throws io.tunnel.model.RefusedException {@code TABLE_NOT_FOUND}, or {@code WRONG_PARTITION}
   *     when the table has none of that id
   */
  public void changeLeader(String table, int partition) {
    run(() -> service.changeLeader(service.table(table).partition(partition)));
  }

  /**
   * Takes a channel from its holder, as an operator does who moves its progress: to where it is. A
   * session then gets the channel again.
   */
  public void fence(String channelId) {
    run(
        () -> {
          MemoryTunnel tunnel = service.tunnelOf(channelId);
          tunnel.fence(tunnel.channel(channelId));
        });
  }

  /** Makes a channel unreadable: it is stopped until an operator resumes it. */
  public void breakChannel(String channelId, ErrorCode code) {
    run(
        () -> {
          MemoryTunnel tunnel = service.tunnelOf(channelId);
          tunnel.fail(
              tunnel.channel(channelId),
              new RefusedException(code, "the test broke channel " + channelId));
        });
  }

  /** Ends a session as the end of its lease does. */
  public void expireSession(String sessionId) {
    run(
        () -> {
          MemorySession session =
              service.sessions().stream()
                  .filter(open -> open.id().equals(sessionId))
                  .findFirst()
                  .orElseThrow(() -> new IllegalArgumentException("no session " + sessionId));
          session.tunnel().end(session, OverReason.LEASE);
        });
  }

  /** The ids of the {@linkplain io.tunnel.sdk.RowSession row sessions} that have not ended. */
  public List<Long> rowSessions() {
    return call(() -> service.rowSessions().ids());
  }

  /** Ends a row session as the end of its lease does: its rows are deleted. */
  public void endRowSession(long sessionId) {
    run(() -> service.rowSessions().end(sessionId));
  }

  /**
   * Crashes and restarts the server's process: connections and sessions are gone, epochs rise,
   * unread base data is read anew; every acknowledged write survives.
   */
  public void crashAndRestart() {
    crash(false);
  }

  /**
   * Cuts the machine's power and restarts: as {@link #crashAndRestart}, and writes with durability
   * OS are lost back to the last write with FSYNC to their partition.
   */
  public void losePowerAndRestart() {
    crash(true);
  }

  private void crash(boolean losesUnsynced) {
    run(
        () -> {
          service.crash(losesUnsynced);
          requests.crashed();
        });
  }
}
