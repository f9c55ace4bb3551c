package io.tunnel.sdk.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Bytes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.PartitionControl.FoundPositions;
import io.tunnel.wire.PartitionControl.Positions;
import io.tunnel.wire.PartitionControl.ReadPartition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Partitions that are read from nodes that fail, move them, and answer late. */
class FeedsTest {

  private static final int BYTES_MAX = 64 << 10;
  private static final Duration OUTAGE_MAX = Duration.ofSeconds(30);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final Endpoint FIRST = new Endpoint("first", 1);
  private static final Endpoint SECOND_NODE = new Endpoint("second", 2);

  private final FakeNodes nodes = new FakeNodes();
  private final Feeds feeds =
      new Feeds(
          nodes,
          List.of(FIRST, SECOND_NODE),
          "t",
          new PartitionReaderConfig(BYTES_MAX, 64 * BYTES_MAX, OUTAGE_MAX));

  private Optional<Received> take() throws InterruptedException {
    return feeds.inbox().take(0);
  }

  private FakeNodes.Line attached(ReadStart start, int handle) {
    feeds.start(start);
    FakeNodes.Line line = nodes.last();
    line.attach(handle);
    return line;
  }

  @Test
  void a_partition_has_no_more_in_memory_than_its_credit() throws InterruptedException {
    FakeNodes.Line line = attached(ReadStart.changes(7, 4), 1);
    assertThat(line.lastRead().position()).isEqualTo(4);
    assertThat(line.credit).containsEntry(1, (long) BYTES_MAX);
    int delivered = 0;
    long next = 5;
    while (delivered < BYTES_MAX) {
      delivered += line.deliver(1, 7, next, 100);
      next += 100;
    }
    assertThat(line.credit).as("nothing is released").containsEntry(1, (long) BYTES_MAX);
    int released = 0;
    for (Optional<Received> one = take(); one.isPresent(); one = take()) {
      feeds.release(one.get());
      released += one.get().bytes();
      assertThat(line.credit.get(1)).isLessThanOrEqualTo((long) BYTES_MAX + released);
    }
    assertThat(released).isEqualTo(delivered);
    assertThat(line.credit.get(1)).isGreaterThan((long) BYTES_MAX);
  }

  @Test
  void partitions_share_what_their_reader_may_have_in_memory() throws InterruptedException {
    int readerBytesMax = 4 * BYTES_MAX;
    Feeds shared =
        new Feeds(
            nodes,
            List.of(FIRST),
            "t",
            new PartitionReaderConfig(3 * BYTES_MAX, readerBytesMax, OUTAGE_MAX));
    shared.start(ReadStart.changes(7, 0));
    FakeNodes.Line line = nodes.last();
    shared.start(ReadStart.changes(8, 0));
    line.attach(0, 1);
    line.attach(1, 2);
    assertThat(line.credit).isEqualTo(Map.of(1, readerBytesMax / 2L, 2, readerBytesMax / 2L));
    line.end(2, 0);
    int bytes = line.deliver(1, 7, 1, 3_000);
    assertThat(shared.inbox().take(0).orElseThrow().isEnd()).isTrue();
    shared.inbox().take(0).ifPresent(shared::release);
    assertThat(line.credit.get(1))
        .as("the most of one partition")
        .isEqualTo(3L * BYTES_MAX + bytes);
    assertThat(new PartitionReaderConfig(BYTES_MAX, BYTES_MAX, OUTAGE_MAX).shareOf(9))
        .as("with less none could be read")
        .isEqualTo(64 << 10);
  }

  @Test
  void who_comes_back_says_what_it_knows_and_by_which_incarnation() throws InterruptedException {
    feeds.start(ReadStart.changes(7, 4));
    FakeNodes.Line line = nodes.last();
    assertThat(line.lastRead().known()).isEmpty();
    line.attach(1, Optional.of(30L));
    int unused = line.deliver(1, 7, 5, 10);
    assertThat(take().orElseThrow().incarnation()).contains(30L);
    line.lose();
    nodes.pass(SECOND);
    assertThat(nodes.last().lastRead().known()).contains(new KnownPosition(14, 30));
    nodes.last().attach(2, Optional.of(31L));
    nodes.last().lose();
    nodes.pass(SECOND);
    assertThat(nodes.last().lastRead().known())
        .as("the service has found it good")
        .contains(new KnownPosition(14, 31));
    nodes.last().refuse(new RefusedException(ErrorCode.POSITION_REPLACED, "behind 9"));
    assertThatThrownBy(this::take)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.POSITION_REPLACED))
        .hasMessageContaining("behind 9");
  }

  @Test
  void the_position_at_which_rows_were_read_is_known_as_well() throws InterruptedException {
    feeds.start(ReadStart.rows(7).knowing(new KnownPosition(40, 30)));
    FakeNodes.Line line = nodes.last();
    assertThat(line.lastRead().known()).contains(new KnownPosition(40, 30));
    line.attach(1, Optional.of(31L));
    line.push(new Frame(Operation.SETTLED, FrameKind.PUSH, 0, new ChannelEnd(1, 0, 44).encode()));
    int unused = line.deliver(1, 7, 1, 10);
    line.lose();
    nodes.pass(SECOND);
    assertThat(nodes.last().lastRead().known()).contains(new KnownPosition(44, 31));
    feeds.start(ReadStart.changes(7, 40).knowing(new KnownPosition(44, 31)));
    assertThat(nodes.last().lastRead().known()).contains(new KnownPosition(44, 31));
    nodes.last().attach(3, Optional.of(31L));
    nodes.last().lose();
    nodes.pass(SECOND);
    assertThat(nodes.last().lastRead().known())
        .as("of what rows have already")
        .contains(new KnownPosition(44, 31));
  }

  @Test
  void a_lost_connection_is_opened_again_behind_what_came() throws InterruptedException {
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
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
    assertThat(take()).isPresent();
    assertThat(take()).as("a connection that is lost says nothing more").isEmpty();
  }

  @Test
  void all_partitions_of_a_node_share_its_connection() {
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
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
    FakeNodes.Line line = attached(ReadStart.changes(7, 3), 1);
    line.fail(1, new RefusedException(ErrorCode.HISTORY_LOST, "1 to 9 are gone"));
    assertThatThrownBy(this::take)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.HISTORY_LOST))
        .hasMessageContaining("partition 7")
        .hasMessageContaining("behind position 3")
        .hasMessageContaining("1 to 9 are gone");
    assertThatThrownBy(this::take).as("and stays so").isInstanceOf(RefusedException.class);
  }

  @Test
  void an_outage_fails_when_it_lasts_too_long_and_not_before() throws InterruptedException {
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
    nodes.areUnreachable = true;
    line.lose();
    nodes.pass(OUTAGE_MAX.toNanos() - 3 * SECOND);
    assertThat(take()).isEmpty();
    nodes.areUnreachable = false;
    nodes.pass(SECOND);
    nodes.last().attach(1);
    nodes.last().deliver(1, 7, 1, 1);
    nodes.areUnreachable = true;
    nodes.last().lose();
    nodes.pass(OUTAGE_MAX.toNanos() - 3 * SECOND);
    assertThat(take()).as("it was delivered meanwhile").isPresent();
    nodes.pass(6 * SECOND);
    assertThatThrownBy(this::take)
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("too long");
  }

  /** Nothing to deliver, or no credit for it, is no outage. */
  @Test
  void a_partition_that_nothing_comes_of_is_served_as_long_as_it_is_attached()
      throws InterruptedException {
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
    for (int i = 0; i < 5; i++) {
      line.lose();
      nodes.pass(SECOND);
      line = nodes.last();
      line.attach(1);
      nodes.pass(OUTAGE_MAX.toNanos());
    }
    assertThat(take()).isEmpty();
  }

  @Test
  void a_node_that_attaches_and_then_refuses_again_and_again_does_not_serve() {
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
    for (int i = 0; i <= OUTAGE_MAX.toSeconds(); i++) {
      line.fail(1, new RefusedException(ErrorCode.BUSY, "not now"));
      nodes.pass(SECOND);
      line.attach(1);
    }
    line.fail(1, new RefusedException(ErrorCode.BUSY, "not now"));
    assertThatThrownBy(this::take).hasMessageContaining("too long");
  }

  @Test
  void rows_go_on_behind_the_key_of_the_last_one() throws InterruptedException {
    FakeNodes.Line line = attached(ReadStart.rows(7), 1);
    assertThat(line.lastRead().key()).isEqualTo(Bytes.EMPTY);
    line.deliver(1, 7, 1, 3);
    line.lose();
    nodes.pass(SECOND);
    Bytes third = KeyCodec.encode(PrimaryKey.builder().add("id", 3).build(), FakeNodes.SCHEMA);
    ReadPartition again = nodes.last().lastRead();
    assertThat(again.position()).isEqualTo(3);
    assertThat(again.key()).isEqualTo(third);
    nodes.last().attach(2);
    nodes.last().end(2, 3);
    assertThat(take().orElseThrow().isEnd()).isFalse();
    assertThat(take().orElseThrow().isEnd()).isTrue();
    assertThat(take()).isEmpty();
  }

  @Test
  void a_moment_becomes_a_position_when_the_server_says_that_it_has_passed() {
    FakeNodes.Line line = attached(ReadStart.changes(7, 3).before(99), 1);
    assertThat(line.lastRead().endMs()).contains(99L);
    assertThat(line.asked).contains(Operation.FIND_POSITIONS);
    line.refuseNext(new RefusedException(ErrorCode.INVALID_POSITION, "it has not come"));
    assertThat(line.limits).isEmpty();
    nodes.pass(SECOND);
    line.answerNext(
        Operation.FIND_POSITIONS,
        new FoundPositions(3, List.of(new Positions(7, 0, 50, Optional.of(20L)))));
    assertThat(line.limits).containsExactly(new ChannelEnd(1, 0, 20));
    int asked = line.asked.size();
    nodes.pass(3 * SECOND);
    assertThat(line.asked).as("it is known").hasSize(asked);
    line.lose();
    nodes.pass(SECOND);
    assertThat(nodes.last().lastRead().end()).contains(20L);
  }

  @Test
  void a_partition_that_was_stopped_or_begun_anew_gets_nothing_of_before()
      throws InterruptedException {
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
    line.deliver(1, 7, 1, 1);
    Received before = take().orElseThrow();
    line.deliver(1, 7, 2, 1);
    feeds.start(ReadStart.changes(7, 40));
    line.attach(2);
    assertThat(take()).isEmpty();
    feeds.release(before);
    assertThat(line.credit).as("not the new one's").containsEntry(2, (long) BYTES_MAX);
    line.deliver(2, 7, 41, 1);
    feeds.stop(7);
    assertThat(take()).isEmpty();
    line.deliver(2, 7, 42, 1);
    assertThat(take()).isEmpty();
  }

  @Test
  void an_answer_that_comes_too_late_is_detached() {
    feeds.start(ReadStart.changes(7, 0));
    FakeNodes.Line line = nodes.last();
    feeds.stop(7);
    line.attach(5);
    assertThat(line.asked).containsExactly(Operation.READ_PARTITION, Operation.DETACH);
    assertThat(line.credit).isEmpty();
  }

  @Test
  void what_cannot_be_read_ends_the_connection_alone() throws InterruptedException {
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
    byte[] broken = FakeNodes.delivery(1, 7, 1, 1);
    broken[broken.length - 1] ^= 1;
    line.push(new Frame(Operation.DELIVER, FrameKind.PUSH, 0, broken));
    assertThat(line.isClosed).isTrue();
    nodes.pass(SECOND);
    nodes.last().attach(1);
    nodes.last().deliver(1, 7, 1, 1);
    assertThat(take()).isPresent();
  }

  @Test
  void a_paused_partition_stays_in_the_inbox_and_others_pass_it() throws InterruptedException {
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
    feeds.start(ReadStart.changes(8, 0));
    line.attach(2);
    feeds.inbox().pause(7);
    line.deliver(1, 7, 1, 1);
    line.deliver(2, 8, 1, 1);
    assertThat(take().orElseThrow().start().partition()).isEqualTo(8);
    assertThat(take()).isEmpty();
    feeds.inbox().resume(7);
    assertThat(take().orElseThrow().start().partition()).isEqualTo(7);
    feeds.inbox().wakeUp();
    assertThat(feeds.inbox().take(Long.MAX_VALUE)).as("woken before it waited").isEmpty();
  }

  /** Whoever pauses cannot know whether what was started before has begun already. */
  @Test
  void a_partition_that_is_begun_while_it_is_paused_stays_paused() throws InterruptedException {
    feeds.inbox().pause(7);
    FakeNodes.Line line = attached(ReadStart.changes(7, 0), 1);
    int delivered = 0;
    for (long next = 1; delivered < BYTES_MAX; next += 100) {
      delivered += line.deliver(1, 7, next, 100);
    }
    assertThat(take()).isEmpty();
    nodes.pass(10 * OUTAGE_MAX.toNanos());
    assertThat(take()).isEmpty();
    assertThat(line.credit).as("no more than it may keep").containsEntry(1, (long) BYTES_MAX);
    feeds.inbox().resume(7);
    for (Optional<Received> one = take(); one.isPresent(); one = take()) {
      feeds.release(one.get());
    }
    assertThat(line.credit.get(1)).isGreaterThan((long) BYTES_MAX);
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
    assertThat(reads(FIRST)).as("all were asked: from the beginning").isEqualTo(2);
    nodes.pass(SECOND);
    assertThat(reads(SECOND_NODE)).isEqualTo(1);
  }

  @Test
  void nodes_that_point_at_each_other_do_not_keep_the_others_from_being_asked() {
    Endpoint third = new Endpoint("third", 3);
    Feeds three =
        new Feeds(
            nodes,
            List.of(FIRST, SECOND_NODE, third),
            "t",
            new PartitionReaderConfig(BYTES_MAX, 64 * BYTES_MAX, OUTAGE_MAX));
    three.start(ReadStart.changes(7, 3));
    line(FIRST).refuse(notLeader("second:2"));
    nodes.pass(SECOND);
    line(SECOND_NODE).refuse(notLeader("first:1"));
    nodes.pass(SECOND);
    assertThat(reads(FIRST)).as("it has said that it is not the one").isEqualTo(1);
    assertThat(reads(third)).isEqualTo(1);
    line(third).refuse(notLeader("first:1"));
    nodes.pass(SECOND);
    assertThat(reads(FIRST)).as("nobody else is left").isEqualTo(2);
    line(FIRST).attach(1);
    assertThat(line(FIRST).credit).containsKey(1);
  }

  @Test
  void the_node_that_serves_is_asked_again_when_it_is_busy() {
    feeds.start(ReadStart.changes(7, 3));
    for (int i = 0; i < 3; i++) {
      nodes.last().refuse(new RefusedException(ErrorCode.BUSY, "not now"));
      nodes.pass(SECOND);
    }
    assertThat(reads(FIRST)).isEqualTo(4);
    assertThat(nodes.lines).hasSize(1);
  }

  @Test
  void what_any_node_may_be_asked_is_asked_of_another_the_next_time() {
    var first = feeds.ask(Operation.FIND_POSITIONS, new byte[0]);
    line(FIRST).refuseNext(away());
    assertThat(first).isCompletedExceptionally();
    var second = feeds.ask(Operation.FIND_POSITIONS, new byte[0]);
    assertThat(second).isNotDone();
    line(SECOND_NODE).answerNext(Operation.FIND_POSITIONS, new FoundPositions(3, List.of()));
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

  private FakeNodes.Line line(Endpoint node) {
    return nodes.lines.stream().filter(line -> line.node.equals(node)).findFirst().orElseThrow();
  }

  private int reads(Endpoint node) {
    return nodes.lines.stream()
        .filter(line -> line.node.equals(node))
        .mapToInt(line -> line.reads.size())
        .sum();
  }
}
