package io.tunnel.sdk.testing;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.StopReason;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.answer.TunnelAnswers;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.wire.control.Control;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  private final Loop loop = Loop.begin();
  private final Gate gate = loop.call(() -> new Gate(loop));
  private final int port;
  private boolean isClosed;

  private InMemoryTunnelService() {
    port = loop.listen(gate::newPeer, () -> gate.engine().front());
  }

  /** A service without tables that listens on a free port of the loopback address. */
  public static InMemoryTunnelService start() {
    return new InMemoryTunnelService();
  }

  /** The endpoint for clients, for {@link io.tunnel.sdk.ClientConfig#of(String)}. */
  public String endpoint() {
    return "127.0.0.1:" + port;
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
    loop.run(() -> gate.keys().add(principal, key));
    return this;
  }

  /**
   * Revokes a key: its clients receive {@code NOT_AUTHENTICATED} and lose their connections, and
   * the key is refused from then on.
   *
   * @throws IllegalArgumentException when the key is unknown
   */
  public void revokeKey(String keyId) {
    loop.run(() -> gate.revoke(keyId));
  }

  // Strictness

  /** Switches rules off; all rules when called without an argument. */
  public InMemoryTunnelService lenient(Rule... rules) {
    loop.run(() -> gate.violations().forgive(List.of(rules)));
    return this;
  }

  /**
   * Sets the most credit of a channel, as in {@link
   * io.tunnel.sdk.TunnelWorkerConfig#setChannelCreditBytes}; default 1 MiB, as there.
   */
  public InMemoryTunnelService creditBytesMax(long bytes) {
    loop.run(() -> gate.rules().creditBytesMax(bytes));
    return this;
  }

  /** The violations of the rules that {@link #verify} has not thrown yet. */
  public List<String> violations() {
    return loop.call(() -> gate.violations().all());
  }

  /**
   * Fails the test when a client has violated a rule.
   *
   * @throws AssertionError with all violations since the last call
   */
  public void verify() {
    List<String> found = loop.call(() -> gate.violations().take());
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
    List<String> found = loop.call(() -> gate.violations().take());
    loop.stop();
    if (!found.isEmpty()) {
      throw new AssertionError("a client broke the rules:\n" + String.join("\n", found));
    }
  }

  // Time

  /** The service's time, for commit times, leases and deadlines. Starts in the year 2000. */
  public Instant now() {
    return Instant.EPOCH.plusNanos(
        TimeUnit.MICROSECONDS.toNanos(loop.call(() -> gate.engine().epochMicros())));
  }

  /**
   * Lets time pass without heartbeats: leases and deadlines end, rows expire whose time to live is
   * over, and requests whose {@linkplain #delay delay} is over are served.
   */
  public void advance(Duration duration) {
    loop.run(() -> gate.advance(duration));
  }

  /** Lets time pass with heartbeats of every worker and row session: no lease ends. */
  public void advanceWithHeartbeats(Duration duration) {
    loop.run(
        () -> {
          gate.advance(duration);
          gate.renewAll();
        });
  }

  // Tables and tunnels

  /** Creates a table with one partition, as {@link TableClient#createTable(TableMeta)} does. */
  public void createTable(TableMeta meta) {
    createTable(new CreateTableRequest(meta, List.of()));
  }

  /** Creates a table, as {@link TableClient#createTable(CreateTableRequest)} does. */
  public void createTable(CreateTableRequest request) {
    loop.run(() -> looks().createTable(request));
  }

  /** Creates a tunnel that starts with the oldest change or row; returns its id. */
  public String createTunnel(String table, String tunnel, TunnelType type) {
    return loop.call(() -> looks().createTunnel(table, tunnel, type));
  }

  private Looks looks() {
    return new Looks(gate.inside());
  }

  /**
   * Writes rows in order, without a client.
   *
   * @throws RefusedException when a row is rejected
   */
  public void write(String table, RowChange... rows) {
    loop.run(() -> looks().write(table, List.of(rows)));
  }

  /** The rows of a table in the order of their keys, without their commit times. */
  public List<Row> rows(String table) {
    return loop.call(() -> looks().rows(table));
  }

  /** Every change of a table, partition by partition, in the order of positions. */
  public List<StreamRecord> changes(String table) {
    return loop.call(() -> looks().changes(table));
  }

  /** The present state of a tunnel's channels. */
  public List<ChannelInfo> channels(String table, String tunnel) {
    return loop.call(
        () ->
            looks().tunnel(table, tunnel).channels().stream()
                .map(this::asDelivered)
                .map(TunnelAnswers::channel)
                .toList());
  }

  /** Deliveries that wait for {@link #release} are not delivered. */
  private Control.ChannelDescription asDelivered(Control.ChannelDescription channel) {
    return gate.rules()
        .delivered(channel.channelId())
        .map(delivered -> Looks.withDelivered(channel, delivered))
        .orElse(channel);
  }

  /** The ids of a tunnel's open sessions, oldest first. */
  public List<String> sessions(String table, String tunnel) {
    return loop.call(
        () ->
            looks().tunnel(table, tunnel).sessions().stream()
                .map(Control.SessionDescription::sessionId)
                .toList());
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
          Control.TunnelDescription of = looks().tunnel(table, tunnel);
          return of.sessions().size() == sessions && Looks.isSettled(of);
        },
        () -> sessions + " sessions with all channels of " + describe(table, tunnel));
  }

  /** Returns when at least {@code requestCount} requests are {@linkplain #delay delayed}. */
  public void awaitDelayed(int requestCount) {
    await(requestCount + " delayed requests", () -> gate.faults().waiting() >= requestCount);
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
        () -> Looks.isProcessed(looks().tunnel(table, tunnel)),
        () -> "everything checkpointed: " + describe(table, tunnel));
  }

  private String describe(String table, String tunnel) {
    return channels(table, tunnel).toString();
  }

  // Faults

  /** Closes all connections, which ends all sessions; clients may reconnect at once. */
  public void loseConnections() {
    loop.run(gate::loseConnections);
  }

  /** Refuses the next request of a kind; further calls refuse further requests. */
  public void refuseNext(ClientRequest request, ErrorCode code) {
    loop.run(() -> gate.faults().refuse(request, code));
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
    loop.run(() -> gate.faults().doubt(writes));
  }

  /**
   * Applies the next writes, and closes their connections instead of answering them. Clients repeat
   * the writes, and are told what became of them the first time.
   */
  public void loseAnswersOfNextWrites(int writes) {
    loop.run(() -> gate.faults().loseAnswers(writes));
  }

  /**
   * Serves requests of a kind only after a {@linkplain #advance time}; {@link Duration#ZERO} ends
   * the delay of coming requests. When the connection is lost before, its writes are applied all
   * the same, as by a server, and its other requests are dropped.
   */
  public void delay(ClientRequest request, Duration delay) {
    loop.run(() -> gate.faults().delay(request, delay));
  }

  /** Delivers nothing until {@link #release}. */
  public void holdBack() {
    loop.run(() -> gate.holdBack(true));
  }

  /** Ends {@link #holdBack}. */
  public void release() {
    loop.run(() -> gate.holdBack(false));
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
    loop.run(
        () -> {
          looks().requirePartition(table, partition);
          gate.engine()
              .lost(
                  partition,
                  new RefusedException(
                      ErrorCode.NOT_LEADER, "another node leads partition " + partition + " now"));
        });
  }

  /**
   * Takes a channel from its holder, as an operator does who moves its progress: to where it is. A
   * session then gets the channel again.
   */
  public void fence(String channelId) {
    loop.run(() -> looks().moveToWhereItIs(channelId));
  }

  /** Makes a channel unreadable: it is stopped until an operator resumes it. */
  public void breakChannel(String channelId, ErrorCode code) {
    loop.run(
        () -> {
          Control.ChannelDescription channel = looks().channel(channelId);
          RefusedException reason =
              new RefusedException(code, "the test broke channel " + channelId);
          gate.breaks(channelId, reason);
          gate.engine()
              .stop(
                  ChannelKey.tunnelId(channelId),
                  new ChannelKey(channel.partition(), channel.type()),
                  StopReason.of(code + ": " + reason.getMessage()));
        });
  }

  /** Ends a session as the end of its lease does. */
  public void expireSession(String sessionId) {
    loop.run(
        () -> {
          if (!gate.engine().expire(sessionId)) {
            throw new IllegalArgumentException("no session " + sessionId);
          }
        });
  }

  /** The ids of the {@linkplain io.tunnel.sdk.RowSession row sessions} that have not ended. */
  public List<Long> rowSessions() {
    return loop.call(() -> looks().rowSessions());
  }

  /** Ends a row session as the end of its lease does: its rows are deleted. */
  public void endRowSession(long sessionId) {
    loop.run(() -> looks().endRowSession(sessionId));
  }

  /**
   * Crashes and restarts the server's process: connections and sessions are gone, epochs rise,
   * unread base data is read anew; every acknowledged write survives.
   */
  public void crashAndRestart() {
    loop.run(() -> gate.crash(false));
  }

  /**
   * Cuts the machine's power and restarts: as {@link #crashAndRestart}, and writes with durability
   * OS are lost back to the last write with FSYNC to their partition.
   */
  public void losePowerAndRestart() {
    loop.run(() -> gate.crash(true));
  }
}
