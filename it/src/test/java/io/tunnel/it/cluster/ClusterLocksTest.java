package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.SessionProof;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.Stage;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.cluster.RowSessionInfo;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.control.RowSessionControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Programs that contend for locks of a cluster whose leaders are killed. */
@Tag("proof-nodes")
class ClusterLocksTest {

  private static final int NODES = 3;
  private static final String TABLE = "locks";
  private static final long LOCK = 1;
  private static final long GHOST = 2;
  private static final long OTHER_GHOST = 1_002;
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final long GHOST_LEASE_MS = 2_000;
  private static final int TURNS = 3;

  @RegisterExtension final Stage stage = new Stage();

  private Cluster cluster;
  private TableClient client;
  private TableInfo table;
  private final Owners owners = new Owners();

  @BeforeEach
  void start() {
    cluster = new Cluster(stage, NODES).start(NODES);
    client = stage.closing(TableClient.connect(cluster.client()));
    table =
        client.createTable(
            CreateTableRequest.builder(TABLE)
                .key("id", PrimaryKeyType.INTEGER)
                .splitPoint(1_000)
                .build());
    cluster.awaitWhole();
  }

  /** Programs that were told of their lock, and believe in the lock. */
  private static final class Owners {
    private final List<Held> all = new ArrayList<>();
    private final AtomicInteger taken = new AtomicInteger();
    private Optional<AssertionError> failure = Optional.empty();

    private static final class Held {
      private final RowSession session;
      private final long number;
      private boolean isGivenBack;

      private Held(RowSession session, long number) {
        this.session = session;
        this.number = number;
      }
    }

    synchronized Held taken(RowSession session, long number) {
      Held held = new Held(session, number);
      for (Held other : all) {
        boolean isHeld = !other.isGivenBack && other.session.isOpen() && session.isOpen();
        if (isHeld || other.number >= number) {
          failed(
              "session %d has the lock with number %d, and session %d has it with number %d"
                  .formatted(session.id(), number, other.session.id(), other.number));
        }
      }
      all.add(held);
      taken.incrementAndGet();
      return held;
    }

    synchronized void givenBack(Held held) {
      held.isGivenBack = true;
    }

    synchronized void failed(String why) {
      failure = failure.or(() -> Optional.of(new AssertionError(why)));
    }

    synchronized void requireOne() {
      failure.ifPresent(
          why -> {
            throw why;
          });
    }
  }

  /** Takes the lock and gives it back, again and again, with a session for each program. */
  private final class Program extends Thread {
    private volatile boolean isStopped;
    private Optional<RowSession> session = Optional.empty();

    Program(String name) {
      super(name);
      start();
    }

    @Override
    public void run() {
      try (TableClient own = TableClient.connect(cluster.client())) {
        while (!isStopped) {
          try {
            turn(own);
          } catch (RuntimeException e) {
            // The lock may be ours and nobody told us: another session takes part from now on.
            session.ifPresent(Program::closeQuietly);
            session = Optional.empty();
          }
        }
      }
    }

    private void turn(TableClient own) {
      if (session.filter(RowSession::isOpen).isEmpty()) {
        session = Optional.of(own.openSession(LEASE));
      }
      RowSession open = session.get();
      OptionalLong number = open.tryLock(TABLE, key(LOCK), List.of());
      if (number.isEmpty()) {
        return;
      }
      Owners.Held held = owners.taken(open, number.getAsLong());
      var unused = client.getRow(TABLE, key(LOCK));
      owners.givenBack(held);
      var unusedResult = open.write(TABLE, List.of(new RowDeleteChange(key(LOCK))));
    }

    private static void closeQuietly(RowSession lost) {
      try {
        lost.close();
      } catch (RuntimeException e) {
        // Its lease ends the session.
        assertThat(lost.isOpen()).isFalse();
      }
    }
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private boolean isThere(long id) {
    return client.getRow(TABLE, key(id)).isPresent();
  }

  /** A program that binds a row and dies at once. */
  private void ghost(int partition, long row, int secret) {
    byte[] drawn = new byte[SessionProof.SECRET_BYTES];
    drawn[0] = (byte) secret;
    Bytes own = Bytes.copyOf(drawn);
    long id;
    try (RawClient owner = RawClient.greeted(cluster.catalogLeader().directPort())) {
      RowSessionControl.Open request = new RowSessionControl.Open(GHOST_LEASE_MS, own);
      id =
          owner
              .request(Operation.OPEN_ROW_SESSION, request, RowSessionControl.Opened.class)
              .sessionId();
    }
    SessionProof proof = new SessionProof(id, own);
    BatchBuilder builder = new BatchBuilder(table.meta().primaryKey(), 256);
    builder.bind(proof);
    builder.setAttributes(proof.addTo(Bytes.EMPTY));
    Column value = new Column("v", ColumnValue.fromLong(row));
    assertThat(builder.add(new RowPutChange(key(row), List.of(value)))).isTrue();
    byte[] payload =
        WriteRequest.encode(table.tableId(), Optional.empty(), builder.build(partition));
    try (RawClient leader = RawClient.greeted(cluster.leaderOf(partition).directPort())) {
      WriteResult result = WriteResult.decode(leader.request(Operation.WRITE, payload));
      assertThat(result.appliedRows()).isEqualTo(1);
    }
  }

  private int partition(int index) {
    return table.partitions().get(index).id();
  }

  private void kill(NodeProcess node) {
    int before = owners.taken.get();
    node.kill();
    cluster.awaitReplaced(node);
    Poll.until(
        Poll.LONG,
        () -> owners.taken.get() > before + TURNS,
        () -> "locks are taken after a kill; so far " + owners.taken.get());
    node.begin();
    node.awaitReady();
    cluster.awaitWhole();
    owners.requireOne();
  }

  @Test
  void a_lock_has_one_owner_and_rows_of_dead_programs_go_while_leaders_are_killed() {
    List<Program> programs = List.of(new Program("ada"), new Program("bob"));
    Poll.until("both programs work", () -> owners.taken.get() > TURNS);
    ghost(partition(0), GHOST, 1);
    kill(cluster.catalogLeader());
    Poll.until(Poll.LONG, () -> !isThere(GHOST), () -> "the first row is gone");
    ghost(partition(1), OTHER_GHOST, 2);
    kill(cluster.leaderOf(partition(1)));
    kill(cluster.leaderOf(partition(0)));
    Poll.until(Poll.LONG, () -> !isThere(OTHER_GHOST), () -> "the other row is gone");
    programs.forEach(program -> program.isStopped = true);
    programs.forEach(
        program -> Poll.until(program.getName() + " has ended", () -> !program.isAlive()));
    owners.requireOne();
    // The clients have closed their sessions.
    assertThat(isThere(LOCK)).isFalse();
  }

  @Test
  void a_close_at_any_node_returns_when_the_rows_of_all_partitions_are_gone() {
    try (ClusterClient operator = new ClusterClient(cluster.client())) {
      RowSession session = client.openSession(LEASE);
      Column value = new Column("v", ColumnValue.fromLong(1));
      session.write(
          TABLE,
          List.of(
              new RowPutChange(key(GHOST), List.of(value)),
              new RowPutChange(key(OTHER_GHOST), List.of(value))));
      assertThat(operator.rowSessions())
          .extracting(RowSessionInfo::id, RowSessionInfo::rows)
          .containsExactly(tuple(session.id(), 2L));
      session.close();
      assertThat(List.of(isThere(GHOST), isThere(OTHER_GHOST))).containsOnly(false);
      RowSession other = client.openSession(LEASE);
      other.write(TABLE, List.of(new RowPutChange(key(GHOST), List.of(value))));
      operator.endRowSession(other.id());
      assertThat(isThere(GHOST)).isFalse();
      assertThat(operator.rowSessions()).isEmpty();
    }
  }
}
