package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How long a worker pauses when a node dies or hangs, until a successor leads. */
class TakeoverTest {

  private static final Endpoint FIRST = new Endpoint("first", 1);
  private static final Endpoint OTHER = new Endpoint("other", 2);
  private static final Duration DEATH = Duration.ofSeconds(10);
  private static final Duration TAKEOVER = Duration.ofMillis(1_100);
  private static final Duration LATE_MAX = Duration.ofMillis(500);
  private static final Duration END = Duration.ofSeconds(25);

  /** Two nodes: the first leads all partitions until it ends, the second from a later moment on. */
  private static final class Cluster extends VirtualWorld {
    private final int channels;
    private final Endpoint coordinator;
    private final List<NodeLink> links = new ArrayList<>();
    private final Map<Integer, Long> attachedNanos = new HashMap<>();
    private int maps;
    private int connections;
    private boolean hasResigned;
    private Optional<Endpoint> moved = Optional.empty();
    private long sessions;

    Cluster(long seed, int channels, Endpoint coordinator) {
      super(seed);
      this.channels = channels;
      this.coordinator = coordinator;
    }

    private boolean hasEnded(Endpoint node) {
      return moved.isEmpty() && node.equals(FIRST) && nowNanos() >= DEATH.toNanos();
    }

    private Optional<Endpoint> leader() {
      if (moved.isPresent()) {
        return moved;
      }
      if (nowNanos() >= DEATH.plus(TAKEOVER).toNanos()) {
        return Optional.of(OTHER);
      }
      return Optional.of(FIRST);
    }

    private Endpoint coordinator() {
      return coordinator.equals(FIRST) ? leader().orElseThrow() : coordinator;
    }

    /** The first node's connections break. */
    void breakLinks() {
      for (NodeLink link : List.copyOf(links)) {
        if (link.node.equals(FIRST)) {
          link.lose();
        }
      }
    }

    /** The leader names the wrong node as the leader. */
    void move(Endpoint to) {
      Endpoint former = leader().orElseThrow();
      moved = Optional.of(to);
      byte[] reason =
          new ErrorPayload(ErrorCode.NOT_LEADER, "not here", Optional.of(to.toString()), 0)
              .encode();
      for (NodeLink link : List.copyOf(links)) {
        if (link.node.equals(former)) {
          link.receiver.pushed(new Frame(Operation.DELIVER, FrameKind.ERROR, 100, reason));
        }
      }
    }

    /** The first node stops delivering half of the channels, and does not know their new leader. */
    void resign() {
      hasResigned = true;
      byte[] reason =
          new ErrorPayload(ErrorCode.NOT_LEADER, "not here", Optional.empty(), 0).encode();
      for (NodeLink link : List.copyOf(links)) {
        for (int i = 0; i < channels && link.node.equals(FIRST); i += 2) {
          link.receiver.pushed(new Frame(Operation.DELIVER, FrameKind.ERROR, 100 + i, reason));
        }
      }
    }

    @Override
    public CompletableFuture<Link> open(PushReceiver receiver) {
      return open(hasEnded(FIRST) ? OTHER : FIRST, receiver);
    }

    @Override
    public CompletableFuture<Link> open(Endpoint node, PushReceiver receiver) {
      connections++;
      CompletableFuture<Link> opened = new CompletableFuture<>();
      if (hasEnded(node)) {
        ConnectionException refused = new ConnectionException("gone", true, null);
        execute(() -> opened.completeExceptionally(refused));
        return opened;
      }
      NodeLink link = new NodeLink(this, node, receiver);
      links.add(link);
      execute(() -> opened.complete(link));
      return opened;
    }

    private byte[] answer(NodeLink link, Operation operation, byte[] payload) {
      return switch (operation) {
        case OPEN_SESSION -> openSession(link);
        case PARTITION_MAP -> {
          maps++;
          long[] splits = new long[channels - 1];
          for (int i = 0; i < splits.length; i++) {
            splits[i] = i + 1L;
          }
          Optional<String> leader = leader().map(Endpoint::toString);
          yield new FakeTable(1, 0, splits).description(Collections.nCopies(channels, leader));
        }
        case ATTACH -> {
          Attach asked = Json.decode(payload, Attach.class);
          require(link.node, leader().orElseThrow());
          if (hasResigned && link.node.equals(FIRST) && asked.partition() % 2 == 0) {
            throw RefusedException.notLeader("not here", Optional.empty());
          }
          attachedNanos.put(asked.partition(), nowNanos());
          yield Json.encode(new Attached(100 + asked.partition()));
        }
        default -> new byte[0];
      };
    }

    private byte[] openSession(NodeLink link) {
      require(link.node, coordinator());
      sessions++;
      String id = "s" + sessions;
      for (int i = 0; i < channels; i++) {
        byte[] assignment =
            Json.encode(
                new SessionControl.Assignment(
                    id,
                    "p" + i,
                    i,
                    i,
                    sessions,
                    0,
                    ChannelType.Stream,
                    Optional.empty(),
                    Bytes.EMPTY,
                    Optional.empty(),
                    Optional.empty(),
                    Bytes.EMPTY,
                    Optional.empty()));
        execute(() -> execute(() -> link.say(Operation.ASSIGN, assignment)));
      }
      return Json.encode(new SessionControl.SessionOpened(id, FakeTable.meta()));
    }

    private static void require(Endpoint asked, Endpoint decides) {
      if (!asked.equals(decides)) {
        throw RefusedException.notLeader("not here", Optional.of(decides.toString()));
      }
    }

    List<Duration> lateness() {
      return attachedNanos.values().stream()
          .map(at -> Duration.ofNanos(at).minus(DEATH.plus(TAKEOVER)))
          .toList();
    }
  }

  private static final class NodeLink implements Link {
    private final Cluster cluster;
    private final Endpoint node;
    private final PushReceiver receiver;
    private final List<CompletableFuture<Frame>> open = new ArrayList<>();
    private boolean isClosed;

    NodeLink(Cluster cluster, Endpoint node, PushReceiver receiver) {
      this.cluster = cluster;
      this.node = node;
      this.receiver = receiver;
    }

    void say(Operation operation, byte[] payload) {
      if (!isClosed) {
        receiver.pushed(new Frame(operation, FrameKind.PUSH, 0, payload));
      }
    }

    void lose() {
      if (!isClosed) {
        isClosed = true;
        ConnectionException reason = new ConnectionException("lost", false, null);
        List.copyOf(open).forEach(answer -> answer.completeExceptionally(reason));
        receiver.lost(reason);
      }
    }

    @Override
    public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
      return request(operation, payload, Duration.ofSeconds(30));
    }

    @Override
    public CompletableFuture<Frame> request(
        Operation operation, byte[] payload, Duration deadline) {
      CompletableFuture<Frame> answer = new CompletableFuture<>();
      open.add(answer);
      cluster.execute(() -> answer(operation, payload, answer));
      cluster.schedule(
          () -> answer.completeExceptionally(new ConnectionException("late", false, null)),
          deadline.toNanos());
      return answer;
    }

    private void answer(Operation operation, byte[] payload, CompletableFuture<Frame> answer) {
      if (isClosed || cluster.hasEnded(node)) {
        return;
      }
      try {
        byte[] words = cluster.answer(this, operation, payload);
        answer.complete(new Frame(operation, FrameKind.RESPONSE, 1, words));
      } catch (RefusedException e) {
        answer.completeExceptionally(e);
      }
    }

    @Override
    public void push(Operation operation, byte[] payload) {}

    @Override
    public void close() {
      cluster.execute(this::lose);
    }
  }

  private static WorkerLoop start(Cluster cluster) {
    RecordingProcessor processor = new RecordingProcessor();
    WorkerSettings settings =
        WorkerSettings.of(
            "tunnel", ClientConfig.of("first", 1), new TunnelWorkerConfig(processor), true);
    WorkerLoop worker =
        new WorkerLoop(settings, new ProcessorSource.Shared(processor), cluster.ports());
    CompletableFuture<Void> started = worker.start();
    cluster.runUntil(DEATH.minusSeconds(1));
    assertThat(started).isCompleted();
    assertThat(cluster.attachedNanos).hasSize(cluster.channels);
    return worker;
  }

  private static Cluster run(Cluster cluster, Consumer<Cluster> end) {
    assertThat(start(cluster).status().lastError()).isEmpty();
    cluster.attachedNanos.clear();
    end.accept(cluster);
    cluster.runUntil(END);
    return cluster;
  }

  private static void requireAll(Cluster cluster, long seed, Duration lateMax) {
    assertThat(cluster.lateness())
        .as("seed %d", seed)
        .hasSize(cluster.channels)
        .allMatch(late -> late.compareTo(lateMax) <= 0);
  }

  @Test
  void channels_go_on_soon_after_another_node_leads_their_partitions() {
    for (long seed = 0; seed < 40; seed++) {
      Cluster cluster = run(new Cluster(seed, 64, OTHER), TakeoverTest::kill);
      requireAll(cluster, seed, LATE_MAX);
      assertThat(cluster.sessions).isEqualTo(1);
      // The worker asks once for all waiting channels.
      assertThat(cluster.maps).as("seed %d", seed).isLessThanOrEqualTo(12);
      assertThat(cluster.connections).as("seed %d", seed).isLessThanOrEqualTo(15);
    }
  }

  private static void kill(Cluster cluster) {
    cluster.runUntil(DEATH);
    cluster.breakLinks();
  }

  @Test
  void sessions_are_opened_soon_after_another_node_coordinates_the_tunnel() {
    for (long seed = 0; seed < 40; seed++) {
      Cluster cluster = run(new Cluster(seed, 8, FIRST), TakeoverTest::kill);
      requireAll(cluster, seed, LATE_MAX);
      assertThat(cluster.sessions).isEqualTo(2);
    }
  }

  @Test
  void a_leader_that_says_who_follows_it_is_left_at_once_however_often_that_happens() {
    Cluster cluster = new Cluster(1, 1, OTHER);
    WorkerLoop worker = start(cluster);
    for (int i = 0; i < 6; i++) {
      Duration now = Duration.ofNanos(cluster.nowNanos());
      cluster.move(i % 2 == 0 ? OTHER : FIRST);
      cluster.attachedNanos.clear();
      cluster.runUntil(now.plusMillis(1));
      assertThat(cluster.attachedNanos).containsKey(0);
      cluster.runUntil(now.plusSeconds(6));
    }
    assertThat(worker.status().lastError()).isEmpty();
  }

  @Test
  void what_others_were_told_before_is_not_taken_for_news() {
    for (long seed = 0; seed < 40; seed++) {
      Cluster cluster =
          run(
              new Cluster(seed, 64, OTHER),
              running -> {
                running.resign();
                kill(running);
              });
      requireAll(cluster, seed, LATE_MAX);
    }
  }

  @Test
  void channels_leave_a_node_that_hangs_when_it_has_said_nothing_for_some_seconds() {
    for (long seed = 0; seed < 20; seed++) {
      Cluster cluster = run(new Cluster(seed, 8, OTHER), running -> running.runUntil(DEATH));
      requireAll(cluster, seed, Duration.ofSeconds(4));
      assertThat(cluster.sessions).isEqualTo(1);
    }
  }
}
