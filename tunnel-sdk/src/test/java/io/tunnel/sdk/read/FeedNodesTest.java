package io.tunnel.sdk.read;

import static io.tunnel.sdk.read.FeedsFixture.BYTES_MAX;
import static io.tunnel.sdk.read.FeedsFixture.FIRST;
import static io.tunnel.sdk.read.FeedsFixture.OUTAGE_MAX;
import static io.tunnel.sdk.read.FeedsFixture.SECOND;
import static io.tunnel.sdk.read.FeedsFixture.SECOND_NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.ReadStart;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** The choice of the node to read from, when nodes fail, move partitions, and refuse. */
class FeedNodesTest {

  private final FeedsFixture at = new FeedsFixture();
  private final FakeNodes nodes = at.nodes;
  private final Feeds feeds = at.feeds;

  @Test
  void a_lost_connection_is_opened_again_behind_what_came() throws InterruptedException {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    int bytes = line.deliver(1, 7, 1, 10);
    line.lose();
    assertThat(line.isClosed).isTrue();
    assertThat(nodes.lines).hasSize(1);
    nodes.pass(SECOND);
    FakeNodes.Line next = nodes.last();
    assertThat(next).isNotSameAs(line);
    assertThat(next.node).as("where it was lost is tried last").isEqualTo(SECOND_NODE);
    assertThat(next.lastRead().position()).isEqualTo(10);
    next.attach(9);
    assertThat(next.credit).containsEntry(9, (long) BYTES_MAX - bytes);
    line.deliver(1, 7, 11, 10);
    assertThat(at.take()).isPresent();
    assertThat(at.take()).as("a lost connection sends no more").isEmpty();
  }

  @Test
  void all_partitions_of_a_node_share_its_connection() {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    feeds.start(ReadStart.changes(8, 0));
    assertThat(nodes.lines).hasSize(1);
    line.attach(2);
    assertThat(line.credit).containsOnlyKeys(1, 2);
    nodes.pass(10 * SECOND);
    assertThat(line.asked).as("is it still there?").contains(Operation.DETACH);
    feeds.close();
    assertThat(line.isClosed).isTrue();
  }

  @Test
  void a_partition_is_read_where_it_is_served() {
    feeds.start(ReadStart.changes(7, 3));
    nodes.last().refuse(RefusedException.notLeader("there", Optional.of("third:3")));
    nodes.pass(SECOND);
    assertThat(nodes.last().node).isEqualTo(new Endpoint("third", 3));
    FakeNodes.Line third = nodes.last();
    third.attach(1);
    third.deliver(1, 7, 4, 2);
    third.fail(1, RefusedException.notLeader("not here", Optional.of("first:1")));
    nodes.pass(SECOND);
    FakeNodes.Line first = nodes.lines.get(0);
    assertThat(first.lastRead().position()).isEqualTo(5);
  }

  @Test
  void what_no_retry_cures_fails_at_once_and_says_where() {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 3), 1);
    line.fail(1, new RefusedException(ErrorCode.HISTORY_LOST, "1 to 9 are gone"));
    assertThatThrownBy(at::take)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.HISTORY_LOST))
        .hasMessageContaining("partition 7")
        .hasMessageContaining("behind position 3")
        .hasMessageContaining("1 to 9 are gone");
    assertThatThrownBy(at::take).as("and stays so").isInstanceOf(RefusedException.class);
  }

  @Test
  void an_outage_fails_when_it_lasts_too_long_and_not_before() throws InterruptedException {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    nodes.areUnreachable = true;
    line.lose();
    nodes.pass(OUTAGE_MAX.toNanos() - 3 * SECOND);
    assertThat(at.take()).isEmpty();
    nodes.areUnreachable = false;
    nodes.pass(SECOND);
    nodes.last().attach(1);
    nodes.last().deliver(1, 7, 1, 1);
    nodes.areUnreachable = true;
    nodes.last().lose();
    nodes.pass(OUTAGE_MAX.toNanos() - 3 * SECOND);
    assertThat(at.take()).as("it was delivered meanwhile").isPresent();
    nodes.pass(6 * SECOND);
    assertThatThrownBy(at::take)
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("too long");
  }

  /** A server without changes, or without credit, is not an outage. */
  @Test
  void a_partition_that_nothing_comes_of_is_served_as_long_as_it_is_attached()
      throws InterruptedException {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    for (int i = 0; i < 5; i++) {
      line.lose();
      nodes.pass(SECOND);
      line = nodes.last();
      line.attach(1);
      nodes.pass(OUTAGE_MAX.toNanos());
    }
    assertThat(at.take()).isEmpty();
  }

  @Test
  void a_node_that_attaches_and_then_refuses_again_and_again_does_not_serve() {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    for (int i = 0; i <= 12; i++) {
      line.fail(1, new RefusedException(ErrorCode.BUSY, "not now"));
      nodes.pass(10 * SECOND);
      line.attach(1);
    }
    line.fail(1, new RefusedException(ErrorCode.BUSY, "not now"));
    assertThatThrownBy(at::take).hasMessageContaining("too long");
  }

  private static RefusedException notLeader(String leader) {
    return RefusedException.notLeader("not here", Optional.of(leader));
  }

  private static RefusedException away() {
    return new RefusedException(ErrorCode.LOG_UNAVAILABLE, "the log cannot be reached");
  }

  @Test
  void a_node_that_cannot_serve_is_left_for_one_that_was_not_asked_yet() {
    feeds.start(ReadStart.changes(7, 3));
    nodes.last().refuse(away());
    nodes.pass(SECOND);
    assertThat(nodes.last().node).isEqualTo(SECOND_NODE);
    nodes.last().refuse(away());
    nodes.pass(SECOND);
    assertThat(at.reads(FIRST)).as("all were asked: from the beginning").isEqualTo(2);
    nodes.pass(SECOND);
    assertThat(at.reads(SECOND_NODE)).isEqualTo(1);
  }

  @Test
  void nodes_that_point_at_each_other_do_not_keep_the_others_from_being_asked() {
    Endpoint third = new Endpoint("third", 3);
    Feeds three = at.of(FIRST, SECOND_NODE, third);
    three.start(ReadStart.changes(7, 3));
    at.line(FIRST).refuse(notLeader("second:2"));
    nodes.pass(SECOND);
    at.line(SECOND_NODE).refuse(notLeader("first:1"));
    nodes.pass(SECOND);
    assertThat(at.reads(FIRST)).as("the node has refused as not the leader").isEqualTo(1);
    assertThat(at.reads(third)).isEqualTo(1);
    at.line(third).refuse(notLeader("first:1"));
    nodes.pass(SECOND);
    assertThat(at.reads(FIRST)).as("nobody else is left").isEqualTo(2);
    at.line(FIRST).attach(1);
    assertThat(at.line(FIRST).credit).containsKey(1);
  }

  @Test
  void the_node_that_serves_is_asked_again_when_it_is_busy() {
    feeds.start(ReadStart.changes(7, 3));
    for (int i = 0; i < 3; i++) {
      nodes.last().refuse(new RefusedException(ErrorCode.BUSY, "not now"));
      nodes.pass(SECOND);
    }
    assertThat(at.reads(FIRST)).isEqualTo(4);
    assertThat(nodes.lines).hasSize(1);
  }

  /** Each refused partition slows the others down, so that their number does not matter. */
  @Test
  void many_partitions_that_a_busy_node_refuses_do_not_flood_it() {
    int count = 2_000;
    Feeds many = at.of(FIRST);
    for (int partition = 0; partition < count; partition++) {
      many.start(ReadStart.changes(partition, 0));
    }
    int asked = 0;
    for (int second = 1; second <= 120; second++) {
      int before = asked;
      for (; asked < nodes.last().readAnswers.size(); asked++) {
        nodes
            .last()
            .readAnswers
            .get(asked)
            .completeExceptionally(new RefusedException(ErrorCode.BUSY, "not now"));
      }
      assertThat(second == 1 ? 0 : asked - before).as("in second %d", second).isLessThan(250);
      nodes.pass(SECOND);
    }
    assertThat(asked).as("each is asked again").isGreaterThan(3 * count);
  }

  @Test
  void what_any_node_may_be_asked_is_asked_of_another_the_next_time() {
    var first = feeds.ask(Operation.FIND_POSITIONS, new byte[0]);
    at.line(FIRST).refuseNext(away());
    assertThat(first).isCompletedExceptionally();
    var second = feeds.ask(Operation.FIND_POSITIONS, new byte[0]);
    assertThat(second).isNotDone();
    at.line(SECOND_NODE).answerNext(Operation.FIND_POSITIONS, new FoundPositions(3, List.of(), 0));
    assertThat(second).isCompleted();
  }

  @Test
  void whoever_waits_for_a_reader_is_told_that_it_is_closed() {
    nodes.holdsBack = true;
    var unopened = feeds.ask(Operation.FIND_POSITIONS, new byte[0]);
    feeds.close();
    var after = feeds.ask(Operation.FIND_POSITIONS, new byte[0]);
    for (var ask : List.of(unopened, after)) {
      assertThat(ask)
          .failsWithin(Duration.ZERO)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(ConnectionException.class)
          .withMessageContaining("closed");
    }
    assertThatThrownBy(() -> feeds.inbox().take(Long.MAX_VALUE))
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("closed");
  }
}
