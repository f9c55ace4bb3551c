package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A node that has fallen silent, which looks like one that has nothing to deliver. */
class DataLinkTest {

  /** Whatever is said counts, also what this version does not understand. */
  private static final int UNKNOWN_OPERATION = 250;

  private final World world = new World();
  private final List<Throwable> broken = new ArrayList<>();
  private final DataLink data = new DataLink(runtime(), () -> world.unused++);
  private final Node node = new Node(world);

  @Test
  void a_node_that_says_nothing_is_left() {
    data.open(CompletableFuture.completedFuture(node));
    world.runUntil(Duration.ofSeconds(30));
    assertThat(node.isClosed).isFalse();

    node.isSilent = true;
    world.runUntil(Duration.ofSeconds(36));

    assertThat(node.isClosed).isTrue();
    assertThat(world.unused).isEqualTo(1);
    assertThat(broken).isEmpty();
  }

  @Test
  void a_node_whose_answer_waits_behind_deliveries_is_not_silent() {
    data.open(CompletableFuture.completedFuture(node));
    node.isSilent = true;
    for (int second = 1; second <= 30; second++) {
      world.runUntil(Duration.ofSeconds(second));
      data.pushed(new Frame(UNKNOWN_OPERATION, FrameKind.PUSH, 0, new byte[0]));
    }

    assertThat(node.isClosed).isFalse();
  }

  private WorkerRuntime runtime() {
    WorkerSettings settings =
        WorkerSettings.of(
            "t", ClientConfig.of("localhost:1"), new TunnelWorkerConfig(input -> {}), true);
    return new WorkerRuntime(
        settings,
        null,
        world.ports(),
        new Notices(settings.session().listener(), world),
        new WorkerCounts(settings.client().meter(), "t"),
        broken::add);
  }

  private static final class World extends VirtualWorld {
    private int unused;

    @Override
    public CompletableFuture<Link> open(PushReceiver receiver) {
      throw new AssertionError("a data link does not connect by itself");
    }
  }

  /** Answers at once, or lets each question run into its deadline. */
  private static final class Node implements Link {
    private final World world;
    private boolean isSilent;
    private boolean isClosed;

    Node(World world) {
      this.world = world;
    }

    @Override
    public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
      return request(operation, payload, Duration.ofSeconds(10));
    }

    @Override
    public CompletableFuture<Frame> request(
        Operation operation, byte[] payload, Duration deadline) {
      CompletableFuture<Frame> answer = new CompletableFuture<>();
      if (isSilent) {
        world.schedule(
            () -> answer.completeExceptionally(new ConnectionException("no answer", true, null)),
            deadline.toNanos());
      } else {
        answer.complete(new Frame(operation, FrameKind.RESPONSE, 1, new byte[0]));
      }
      return answer;
    }

    @Override
    public void push(Operation operation, byte[] payload) {}

    @Override
    public void close() {
      isClosed = true;
    }
  }
}
