package io.tunnel.sdk.testing;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.answer.TunnelAnswers;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.security.AccessKey;
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
 * tables, tunnels and sessions that behave as the server's do. It needs no disk, and its time
 * passes only when a test says so.
 *
 * <p>It is strict: what a correct client never does is refused where there is an answer, and fails
 * the test when the service is {@linkplain #verify verified} or closed. Methods may be called from
 * any thread; what they do has happened when they return.
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

  /** What to connect clients to, as {@link io.tunnel.sdk.ClientConfig#of(String)} reads it. */
  public String endpoint() {
    return "127.0.0.1:" + loop.port();
  }

  /**
   * Lets clients come with that key, and from the first one on asks everybody who connects who they
   * are, as a closed server does: others are refused with {@code NOT_AUTHENTICATED}. Clients come
   * without TLS, and may do everything; rights are not a part of the kit.
   *
   * @param principal whom the key stands for, as a client is told who it is
   * @throws IllegalArgumentException when there are {@value Keys#KEYS_MAX} others
   */
  public InMemoryTunnelService withKey(String principal, AccessKey key) {
    run(() -> keys.add(principal, key));
    return this;
  }

  /**
   * Revokes a key: clients that came with it are told so with {@code NOT_AUTHENTICATED} and lose
   * their connections, and none comes with it any more.
   *
   * @throws IllegalArgumentException when there is no such key
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

  /** Holds clients to none of these rules from now on; to no rule at all when none is named. */
  public InMemoryTunnelService lenient(Rule... rules) {
    run(() -> service.violations().forgive(List.of(rules)));
    return this;
  }

  /**
   * The credit that a correct worker has open on a channel at most: what {@link
   * io.tunnel.sdk.TunnelWorkerConfig#setChannelCreditBytes} says; 1 MiB, as there, if this is not
   * called.
   */
  public InMemoryTunnelService creditBytesMax(long bytes) {
    run(() -> requests.creditBytesMax(bytes));
    return this;
  }

  /** What clients did that a correct one never does, and {@link #verify} has not thrown yet. */
  public List<String> violations() {
    return call(() -> service.violations().all());
  }

  /**
   * Fails the test when a client did what a correct one never does.
   *
   * @throws AssertionError with everything since the last call
   */
  public void verify() {
    List<String> found = call(() -> service.violations().take());
    if (!found.isEmpty()) {
      throw new AssertionError("a client broke the rules:\n" + String.join("\n", found));
    }
  }

  /** Closes all connections, then does what {@link #verify} does. Idempotent. */
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

  /** The service's time: commit times, leases and deadlines are in it. It starts in 2000. */
  public Instant now() {
    return Instant.EPOCH.plusNanos(
        TimeUnit.MICROSECONDS.toNanos(call(() -> service.time().micros())));
  }

  /**
   * Lets time pass in which no worker says anything: leases and deadlines that end meanwhile end,
   * and requests that were {@linkplain #delay delayed} as long are answered.
   */
  public void advance(Duration duration) {
    run(
        () -> {
          service.time().advance(duration);
          service.tick();
        });
  }

  /** Lets time pass in which every worker says that it lives: no lease ends. */
  public void advanceWithHeartbeats(Duration duration) {
    run(
        () -> {
          service.time().advance(duration);
          service.sessions().forEach(session -> session.renew(service.time().micros()));
          service.tick();
        });
  }

  // Tables and tunnels

  /** Creates a table with a partition more than split points. */
  public void createTable(TableMeta meta, PrimaryKeyValue... splitPoints) {
    run(
        () -> {
          var unused = service.createTable(new Control.CreateTable(meta, List.of(splitPoints)));
        });
  }

  /** Creates a tunnel that delivers all there is of its type; returns its id. */
  public String createTunnel(String table, String tunnel, TunnelType type) {
    Control.CreateTunnel request =
        new Control.CreateTunnel(table, tunnel, type, StreamStart.EARLIEST);
    return call(() -> service.createTunnel(request).info().tunnelId());
  }

  /**
   * Writes rows in their order, without a client.
   *
   * @throws RefusedException when one of them is rejected
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
    Bytes key = KeyCodec.encode(row.primaryKey(), schema);
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

  /** The rows of a table in the order of their keys. */
  public List<Row> rows(String table) {
    return call(
        () ->
            service.table(table).partitions().stream()
                .map(partition -> partition.rows().values())
                .flatMap(Collection::stream)
                .toList());
  }

  /** Every change of a table: partition by partition, each in the order of positions. */
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

  /** The channels of a tunnel now. */
  public List<ChannelInfo> channels(String table, String tunnel) {
    return call(
        () ->
            service.tunnel(table, tunnel).describe().channels().stream()
                .map(TunnelAnswers::channel)
                .toList());
  }

  /** The ids of a tunnel's open sessions in the order in which they came. */
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

  // Waiting, not for time to pass but for something to happen

  /**
   * Returns when {@code condition} holds. It is asked after each change on the service's thread,
   * where it may call the methods that look at the service, and must not block.
   *
   * @param what is waited for, for people
   * @throws AssertionError when it does not hold within 20 seconds
   */
  public void await(String what, BooleanSupplier condition) {
    await(condition, () -> what);
  }

  private void await(BooleanSupplier condition, Supplier<String> whatIsMissing) {
    loop.await(condition, AWAIT_DEADLINE, whatIsMissing);
  }

  /**
   * Returns when that many sessions hold all the channels of a tunnel that may run, and none has to
   * give one back.
   */
  public void awaitAssigned(String table, String tunnel, int sessions) {
    await(
        () -> {
          MemoryTunnel of = service.tunnel(table, tunnel);
          return of.sessions().size() == sessions && of.isSettled();
        },
        () -> sessions + " sessions with all channels of " + describe(table, tunnel));
  }

  /** Returns when that many requests have come that are {@linkplain #delay delayed}, or more. */
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
   * Returns when everything that is in the tunnel now, rows and changes, was processed and
   * checkpointed. A worker checkpoints on its own clock: give it a short interval.
   */
  public void awaitProcessed(String table, String tunnel) {
    await(
        () -> service.tunnel(table, tunnel).isProcessed(),
        () -> "everything checkpointed: " + describe(table, tunnel));
  }

  private String describe(String table, String tunnel) {
    return channels(table, tunnel).toString();
  }

  // What goes wrong

  /** Closes all connections, and with them all sessions; clients may connect again at once. */
  public void loseConnections() {
    run(() -> requests.peers().forEach(Peer::close));
  }

  /** Refuses the next such request; further calls refuse further ones. */
  public void refuseNext(ClientRequest request, ErrorCode code) {
    run(() -> faults.refuse(request, code));
  }

  /** Fails the next writes as if the disk had: they are not applied, and their rows in doubt. */
  public void failNextWrites(int writes) {
    for (int i = 0; i < writes; i++) {
      refuseNext(ClientRequest.WRITE, ErrorCode.STORAGE_FAILED);
    }
  }

  /** Applies the next writes, and closes their connections instead of answering them. */
  public void loseAnswersOfNextWrites(int writes) {
    run(() -> faults.loseAnswers(writes));
  }

  /**
   * Serves such requests when that much time has {@linkplain #advance passed}; {@link
   * Duration#ZERO} ends that for those to come. When a connection is lost meanwhile, its writes are
   * applied nevertheless, as by a server, and its other requests are not served.
   */
  public void delay(ClientRequest request, Duration delay) {
    run(() -> faults.delay(request, delay));
  }

  /** Delivers nothing until {@link #release}. */
  public void holdBack() {
    run(() -> service.holdBack(true));
  }

  /** Delivers what was held back. */
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

  /** Takes a channel from its holder, as a deadline or an operator does; somebody gets it again. */
  public void fence(String channelId) {
    run(
        () -> {
          MemoryTunnel tunnel = service.tunnelOf(channelId);
          tunnel.fence(tunnel.channel(channelId), "the test took it");
        });
  }

  /** Says that a channel cannot be read; it is stopped until an operator resumes it. */
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
        () ->
            service.sessions().stream()
                .filter(session -> session.id().equals(sessionId))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no session " + sessionId))
                .expire());
  }

  /**
   * The server's process dies and comes back: connections and sessions are gone, epochs rise, base
   * data that is not read yet is read anew; everything acknowledged is there.
   */
  public void crashAndRestart() {
    crash(false);
  }

  /**
   * The machine loses power and comes back: as {@link #crashAndRestart}, and what was written with
   * durability OS since the last write with FSYNC to its partition is gone.
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
