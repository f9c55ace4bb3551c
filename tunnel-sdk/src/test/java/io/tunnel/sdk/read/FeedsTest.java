package io.tunnel.sdk.read;

import static io.tunnel.sdk.read.FeedsFixture.BYTES_MAX;
import static io.tunnel.sdk.read.FeedsFixture.FIRST;
import static io.tunnel.sdk.read.FeedsFixture.OUTAGE_MAX;
import static io.tunnel.sdk.read.FeedsFixture.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Delivery, buffering and resuming of partitions. */
class FeedsTest {

  private final FeedsFixture at = new FeedsFixture();
  private final FakeNodes nodes = at.nodes;
  private final Feeds feeds = at.feeds;

  @Test
  void a_partition_has_no_more_in_memory_than_its_credit() throws InterruptedException {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 4), 1);
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
    for (Optional<Received> one = at.take(); one.isPresent(); one = at.take()) {
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
    assertThat(at.take().orElseThrow().incarnation()).contains(30L);
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
    assertThatThrownBy(at::take)
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
  void rows_go_on_behind_the_key_of_the_last_one() throws InterruptedException {
    FakeNodes.Line line = at.attached(ReadStart.rows(7), 1);
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
    assertThat(at.take().orElseThrow().isEnd()).isFalse();
    assertThat(at.take().orElseThrow().isEnd()).isTrue();
    assertThat(at.take()).isEmpty();
  }

  @Test
  void a_moment_becomes_a_position_when_the_server_says_that_it_has_passed() {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 3).before(99), 1);
    assertThat(line.lastRead().endMs()).contains(99L);
    assertThat(line.asked).contains(Operation.FIND_POSITIONS);
    line.refuseNext(new RefusedException(ErrorCode.INVALID_POSITION, "it has not come"));
    assertThat(line.limits).isEmpty();
    nodes.pass(SECOND);
    line.answerNext(
        Operation.FIND_POSITIONS,
        new FoundPositions(3, List.of(new Positions(7, 0, 50, Optional.of(20L))), 0));
    assertThat(line.limits).containsExactly(new ChannelEnd(1, 0, 20));
    int asked = line.asked.size();
    nodes.pass(3 * SECOND);
    assertThat(line.asked).as("it is known").hasSize(asked);
    line.lose();
    nodes.pass(SECOND);
    assertThat(nodes.last().lastRead().end()).contains(20L);
  }

  @Test
  void an_end_before_1970_is_refused_where_it_is_written() {
    assertThatThrownBy(() -> ReadStart.changes(7, 0).before(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("endMs is milliseconds since 1970, not -1");
    assertThat(ReadStart.changes(7, 0).before(0).endMs()).contains(0L);
  }

  /** A retry would not help: reading fails at once. */
  @Test
  void an_end_that_can_never_be_found_fails_the_reading() {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 3).before(99), 1);
    line.refuseNext(new RefusedException(ErrorCode.HISTORY_LOST, "changes 1 to 9 are gone"));
    assertThatThrownBy(at::take)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.HISTORY_LOST))
        .hasMessageContaining("are gone");
  }

  @Test
  void a_partition_that_was_stopped_or_begun_anew_gets_nothing_of_before()
      throws InterruptedException {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    line.deliver(1, 7, 1, 1);
    Received before = at.take().orElseThrow();
    line.deliver(1, 7, 2, 1);
    feeds.start(ReadStart.changes(7, 40));
    line.attach(2);
    assertThat(at.take()).isEmpty();
    feeds.release(before);
    assertThat(line.credit).as("not the new one's").containsEntry(2, (long) BYTES_MAX);
    line.deliver(2, 7, 41, 1);
    feeds.stop(7);
    assertThat(at.take()).isEmpty();
    line.deliver(2, 7, 42, 1);
    assertThat(at.take()).isEmpty();
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
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    byte[] broken = FakeNodes.delivery(1, 7, 1, 1);
    broken[broken.length - 1] ^= 1;
    line.push(new Frame(Operation.DELIVER, FrameKind.PUSH, 0, broken));
    assertThat(line.isClosed).isTrue();
    nodes.pass(SECOND);
    nodes.last().attach(1);
    nodes.last().deliver(1, 7, 1, 1);
    assertThat(at.take()).isPresent();
  }

  @Test
  void an_outage_that_no_waiting_cures_fails_as_one() {
    nodes.areUnreachable = true;
    nodes.whyUnreachable = ConnectionException.lasting("who has signed that?", null);
    feeds.start(ReadStart.changes(7, 3));
    nodes.pass(2 * OUTAGE_MAX.toNanos());
    assertThatThrownBy(at::take)
        .isInstanceOfSatisfying(
            ConnectionException.class, failure -> assertThat(failure.isLasting()).isTrue())
        .hasMessageContaining("partition 7 was not delivered for too long behind position 3")
        .hasMessageContaining("who has signed that?");
  }

  @Test
  void an_outage_that_may_pass_is_not_a_lasting_one() {
    nodes.areUnreachable = true;
    feeds.start(ReadStart.changes(7, 3));
    nodes.pass(2 * OUTAGE_MAX.toNanos());
    assertThatThrownBy(at::take)
        .isInstanceOfSatisfying(
            ConnectionException.class,
            failure -> {
              assertThat(failure.isLasting()).isFalse();
              assertThat(failure.retriable()).isTrue();
            });
  }

  @Test
  void a_paused_partition_stays_in_the_inbox_and_others_pass_it() throws InterruptedException {
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    feeds.start(ReadStart.changes(8, 0));
    line.attach(2);
    feeds.inbox().pause(7);
    line.deliver(1, 7, 1, 1);
    line.deliver(2, 8, 1, 1);
    assertThat(at.take().orElseThrow().start().partition()).isEqualTo(8);
    assertThat(at.take()).isEmpty();
    feeds.inbox().resume(7);
    assertThat(at.take().orElseThrow().start().partition()).isEqualTo(7);
    feeds.inbox().wakeUp();
    assertThat(feeds.inbox().take(Long.MAX_VALUE)).as("woken before it waited").isEmpty();
  }

  /** A program that pauses cannot know whether an earlier start has begun. */
  @Test
  void a_partition_that_is_begun_while_it_is_paused_stays_paused() throws InterruptedException {
    feeds.inbox().pause(7);
    FakeNodes.Line line = at.attached(ReadStart.changes(7, 0), 1);
    int delivered = 0;
    for (long next = 1; delivered < BYTES_MAX; next += 100) {
      delivered += line.deliver(1, 7, next, 100);
    }
    assertThat(at.take()).isEmpty();
    nodes.pass(10 * OUTAGE_MAX.toNanos());
    assertThat(at.take()).isEmpty();
    assertThat(line.credit).as("no more than it may keep").containsEntry(1, (long) BYTES_MAX);
    feeds.inbox().resume(7);
    for (Optional<Received> one = at.take(); one.isPresent(); one = at.take()) {
      feeds.release(one.get());
    }
    assertThat(line.credit.get(1)).isGreaterThan((long) BYTES_MAX);
  }
}
