package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ICheckpointer;
import io.tunnel.sdk.ITunnelWorkerListener;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.fake.FakeLeaders;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.worker.WorkerFixture.Gate;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels that are delivered by the nodes that lead their partitions. */
@Timeout(60)
class AttachedWorkerTest {

  private static final int CREDIT = 4_096;

  private FakeLeaders cluster;
  private TunnelClient client;
  private TunnelWorker worker;
  private int creditBytes = CREDIT;
  private long bufferBytes = 64 << 20;
  private final List<String> heard = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    if (worker != null) {
      worker.shutdown();
    }
    client.close();
    cluster.close();
    assertThat(cluster.failures()).isEmpty();
  }

  private void start(FakeLeaders leaders, RecordingProcessor processor) {
    start(leaders, processor, 3_600_000);
  }

  private void start(FakeLeaders leaders, RecordingProcessor processor, long checkpointMs) {
    cluster = leaders;
    client = new TunnelClient(leaders.config().withRetryDeadline(Duration.ofSeconds(5)));
    TunnelWorkerConfig config = WorkerFixture.config(processor);
    config.setCheckpointIntervalInMillis(checkpointMs);
    config.setChannelCreditBytes(creditBytes);
    config.setBufferBytesMax(bufferBytes);
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void channelClosed(String channelId, CloseReason why) {
            heard.add(channelId + " " + why);
          }

          @Override
          public void channelStopped(String channelId, Throwable error) {
            heard.add(channelId + " stopped: " + error.getMessage());
          }
        });
    worker = new TunnelWorker("tunnel", client, config);
    worker.connectAndWorking();
  }

  private static FakeLeaders streams(int nodes, int... leaders) {
    return new FakeLeaders(nodes, ChannelType.Stream, leaders);
  }

  private void awaitAll(RecordingProcessor processor, int channel) {
    Waits.until(
        "all changes of channel " + channel,
        () -> processor.positions(channel).size() >= cluster.positions(channel).size());
    assertThat(processor.positions(channel)).isEqualTo(cluster.positions(channel));
  }

  private void awaitEvent(String event) {
    Waits.until(event, () -> cluster.events().contains(event));
  }

  private long count(String event) {
    return cluster.events().stream().filter(event::equals).count();
  }

  @Test
  void each_channel_comes_from_the_leader_of_its_partition() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 0, 1, 2, 1), processor);
    for (int i = 0; i < 4; i++) {
      cluster.append(i, 5);
      cluster.append(i, 3);
    }
    for (int i = 0; i < 4; i++) {
      awaitAll(processor, i);
    }
    assertThat(cluster.events())
        .contains(
            "attach 0 at 0 from 0",
            "attach 1 at 1 from 0",
            "attach 2 at 2 from 0",
            "attach 3 at 1 from 0");
    // One connection for the session and one for deliveries, or the latter alone.
    assertThat(cluster.node(0).connections()).hasSize(2);
    assertThat(cluster.node(1).connections()).hasSize(1);
    assertThat(cluster.node(2).connections()).hasSize(1);
    assertThat(cluster.mapsRead()).isLessThanOrEqualTo(2);
  }

  @Test
  void a_shutdown_checkpoints_and_detaches() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(2, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    worker.shutdown();
    assertThat(cluster.events()).containsSubsequence("attach 0 at 1 from 0", "checkpoint 0 5");
    awaitEvent("detach 0 at 1");
    Waits.until("closed links", () -> cluster.node(1).connections().isEmpty());
  }

  @Test
  void a_channel_that_is_taken_back_is_checkpointed_released_and_detached() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(2, 1, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.revoke(0);
    awaitEvent("detach 0 at 1");
    assertThat(cluster.events()).containsSubsequence("checkpoint 0 5", "release 0");
    cluster.append(1, 4);
    awaitAll(processor, 1);
  }

  @Test
  void a_leader_that_says_who_follows_it_is_left_at_once() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.move(0, 2, true);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    assertThat(cluster.events()).contains("attach 0 at 2 from 5");
    assertThat(worker.status().lastError()).isEmpty();
    Waits.until("no link to spare", () -> cluster.node(1).connections().isEmpty());
  }

  @Test
  void a_leader_that_does_not_know_is_followed_by_way_of_the_map() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.move(0, 2, false);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    assertThat(cluster.events()).contains("attach 0 at 2 from 5");
  }

  @Test
  void a_channel_without_a_leader_waits_and_says_so_once() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1, 2), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.move(0, -1, false);
    int maps = cluster.mapsRead();
    cluster.append(0, 4);
    cluster.append(1, 4);
    awaitAll(processor, 1); // The other channel goes on.
    Waits.until("some attempts", () -> cluster.mapsRead() > maps + 3);
    assertThat(worker.status().lastError()).isPresent();
    assertThat(worker.status().lastError().get()).contains("p0_1").contains("not the leader");
    cluster.moveInSilence(0, 2);
    awaitAll(processor, 0);
    assertThat(heard).isEmpty();
  }

  @Test
  void a_lost_link_costs_neither_duplicates_nor_gaps() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1, 1, 2), processor);
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 3; i++) {
        cluster.append(i, 7);
      }
      if (round % 3 == 0) {
        cluster.node(1).dropAll();
      }
      if (round % 5 == 4) {
        cluster.moveInSilence(0, 1 + round % 2);
        cluster.node(1 + round / 5 % 2).dropAll();
      }
    }
    for (int i = 0; i < 3; i++) {
      awaitAll(processor, i);
    }
    assertThat(worker.status().counters().sessions()).isEqualTo(1);
    assertThat(heard).isEmpty();
  }

  @Test
  void a_dead_leader_is_left_for_its_successor() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.node(1).goAway();
    cluster.moveInSilence(0, 2);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.node(1).comeBack();
  }

  @Test
  void what_a_former_leader_still_says_is_dropped() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    // Channel 1 keeps the former leader's connection open.
    cluster.moveWithLateDelivery(0, 2);
    cluster.append(0, 3);
    awaitAll(processor, 0);
    cluster.append(1, 3);
    awaitAll(processor, 1);
    assertThat(cluster.deliverer(0)).isEqualTo(2);
    assertThat(heard).isEmpty();
  }

  @Test
  void credit_is_the_same_at_every_leader() {
    Gate gate = new Gate();
    RecordingProcessor processor = new RecordingProcessor(input -> gate.hold());
    start(streams(3, 1), processor);
    Waits.until("the first credit", () -> cluster.credit(0) == CREDIT);
    cluster.append(0, 10);
    gate.awaitHolding();
    long left = cluster.credit(0);
    assertThat(left).isBetween(1L, CREDIT - 1L);
    cluster.move(0, 2, true);
    Waits.until("the same credit there", () -> cluster.credit(0) == left);
    assertThat(cluster.deliverer(0)).isEqualTo(2);
    gate.open();
    Waits.until("all credit", () -> cluster.credit(0) == CREDIT);
    for (int i = 0; i < 50; i++) {
      cluster.append(0, 20);
      if (i % 7 == 0) {
        cluster.move(0, 1 + i % 2, i % 3 == 0);
      }
    }
    awaitAll(processor, 0);
    Waits.until("all credit again", () -> cluster.credit(0) == CREDIT);
  }

  @Test
  void credit_that_was_overdrawn_is_not_given_again() {
    Gate gate = new Gate();
    RecordingProcessor processor = new RecordingProcessor(input -> gate.hold());
    start(streams(3, 1), processor);
    Waits.until("the first credit", () -> cluster.credit(0) == CREDIT);
    cluster.append(0, 400);
    gate.awaitHolding();
    assertThat(cluster.credit(0)).isNegative();
    cluster.move(0, 2, true);
    awaitEvent("attach 0 at 2 from 401");
    cluster.append(0, 3);
    assertThat(cluster.credit(0)).isZero();
    assertThat(processor.positions(0)).isEmpty();
    gate.open();
    awaitAll(processor, 0);
    Waits.until("all credit", () -> cluster.credit(0) == CREDIT);
  }

  @Test
  void a_channel_that_is_fenced_at_its_leader_is_forgotten() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(2, 1, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.refuse(0, ErrorCode.FENCED);
    Waits.until("the end of channel 0", () -> heard.contains("p0_1 FENCED"));
    cluster.append(1, 4);
    awaitAll(processor, 1);
    assertThat(cluster.events()).doesNotContain("release 0", "stop 0");
    assertThat(worker.status().counters().fenced()).isEqualTo(1);
  }

  @Test
  void an_attachment_that_is_fenced_ends_the_channel_too() {
    RecordingProcessor processor = new RecordingProcessor();
    FakeLeaders leaders = streams(2, 1);
    leaders.refuseAttachments(Optional.of(ErrorCode.FENCED));
    start(leaders, processor);
    Waits.until("the end of channel 0", () -> heard.contains("p0_1 FENCED"));
  }

  @Test
  void what_a_leader_cannot_read_is_stopped_at_the_session() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(2, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.refuse(0, ErrorCode.HISTORY_LOST);
    awaitEvent("stop 0");
    assertThat(cluster.events()).containsSubsequence("checkpoint 0 5", "stop 0");
    Waits.until("the notice", () -> heard.contains("p0_1 STOPPED"));
  }

  @Test
  void a_leader_that_is_busy_or_has_not_heard_of_the_tunnel_is_asked_again() {
    for (ErrorCode code :
        List.of(ErrorCode.BUSY, ErrorCode.LOG_UNAVAILABLE, ErrorCode.TUNNEL_NOT_FOUND)) {
      RecordingProcessor processor = new RecordingProcessor();
      FakeLeaders leaders = streams(2, 1);
      leaders.refuseAttachments(Optional.of(code));
      start(leaders, processor);
      leaders.append(0, 3);
      Waits.until("some attempts", () -> leaders.mapsRead() > 3);
      leaders.refuseAttachments(Optional.empty());
      awaitAll(processor, 0);
      close();
    }
  }

  @Test
  void a_stream_ends_behind_positions_that_are_no_changes() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(2, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.end(0, 77);
    awaitEvent("checkpoint 0 77");
    awaitEvent("release 0");
    assertThat(processor.farewells).contains("ended p0_1");
    assertThat(cluster.events()).noneMatch(event -> event.startsWith("limit of"));
  }

  @Test
  void positions_behind_the_last_change_that_are_none_are_checkpointed() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1, 1), processor, 1);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.settle(0, 9);
    awaitEvent("checkpoint 0 9");
    // One that was never delivered anything, whose progress is that alone.
    Waits.until("attached", () -> cluster.deliverer(1) == 1);
    cluster.settle(1, 1);
    awaitEvent("checkpoint 1 1");
    Waits.until(
        "progress that is seen",
        () ->
            worker.status().channels().stream()
                .anyMatch(channel -> channel.partition() == 0 && channel.processed() == 9));
    cluster.move(0, 2, true);
    awaitEvent("attach 0 at 2 from 9");
    cluster.append(0, 3, 9);
    awaitAll(processor, 0);
    assertThat(heard).isEmpty();
  }

  @Test
  void a_processor_that_checkpoints_by_itself_may_say_again_what_lies_before_them() {
    List<ICheckpointer> checkpointers = new CopyOnWriteArrayList<>();
    List<String> tokens = new CopyOnWriteArrayList<>();
    cluster = streams(2, 1);
    client = new TunnelClient(cluster.config().withRetryDeadline(Duration.ofSeconds(5)));
    worker =
        new TunnelWorker(
            "tunnel",
            client,
            WorkerFixture.config(null),
            (tunnelId, clientId, channelId, checkpointer) -> {
              checkpointers.add(checkpointer);
              return new RecordingProcessor(
                  input -> {
                    checkpointer.checkpoint(input.getNextToken());
                    tokens.add(input.getNextToken());
                  });
            });
    worker.connectAndWorking();
    cluster.append(0, 4);
    awaitEvent("checkpoint 0 5");
    Waits.until("the word of the processor", () -> tokens.size() == 1);
    cluster.refuseCheckpoints(Optional.of(ErrorCode.LOG_UNAVAILABLE));
    cluster.settle(0, 8);
    awaitEvent("refused checkpoint 0 8");
    cluster.refuseCheckpoints(Optional.empty());
    Waits.until("the worker knows", () -> worker.status().channels().get(0).checkpointed() == 8);
    checkpointers.get(0).checkpoint(tokens.get(0));
    checkpointers.get(0).checkpoint("finished");
    assertThatThrownBy(() -> checkpointers.get(0).checkpoint("4"))
        .hasMessageContaining("before the checkpoint at 8");
    assertThat(count("checkpoint 0 8")).isEqualTo(1);
  }

  @Test
  void an_end_that_the_session_learns_is_told_to_every_leader() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.limit(0, 9);
    awaitEvent("limit at node of 0 is 9");
    cluster.move(0, 2, true);
    awaitEvent("attach 0 at 2 from 5 to 9");
    assertThat(count("limit at node of 0 is 9")).isEqualTo(1);
    cluster.end(0, 9);
    awaitEvent("checkpoint 0 9");
  }

  @Test
  void a_base_channel_goes_on_behind_the_key_of_its_last_row() {
    RecordingProcessor processor = new RecordingProcessor();
    FakeLeaders leaders = new FakeLeaders(3, ChannelType.BaseData, 1);
    start(leaders, processor, 1);
    cluster.append(0, 4);
    cluster.append(0, 3);
    awaitAll(processor, 0);
    awaitEvent("checkpoint 0 7 key 7");
    cluster.move(0, 2, true);
    awaitEvent("attach 0 at 2 from 7");
    awaitEvent("key 7");
    cluster.append(0, 2);
    awaitAll(processor, 0);
  }

  /** The rows up to there have no key that anybody knows, and a checkpoint without one is none. */
  @Test
  void a_token_inside_the_first_rows_of_a_base_channel_is_refused_and_the_channel_goes_on() {
    List<Throwable> refused = new CopyOnWriteArrayList<>();
    cluster = new FakeLeaders(2, ChannelType.BaseData, 1);
    client = new TunnelClient(cluster.config().withRetryDeadline(Duration.ofSeconds(5)));
    worker =
        new TunnelWorker(
            "tunnel",
            client,
            WorkerFixture.config(null),
            (tunnelId, clientId, channelId, checkpointer) ->
                new RecordingProcessor(
                    input -> {
                      if (refused.isEmpty()) {
                        refused.add(catchThrowable(() -> checkpointer.checkpoint("2")));
                      }
                      checkpointer.checkpoint(input.getNextToken());
                    }));
    worker.connectAndWorking();
    cluster.append(0, 4);
    awaitEvent("checkpoint 0 4 key 4");
    assertThat(refused.get(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("token 2");
    cluster.append(0, 3);
    awaitEvent("checkpoint 0 7 key 7");
    assertThat(cluster.events()).noneMatch(event -> event.startsWith("checkpoint 0 2"));
  }

  @Test
  void the_session_is_told_where_a_base_channel_ends_before_that_is_checkpointed() {
    RecordingProcessor processor = new RecordingProcessor();
    start(new FakeLeaders(3, ChannelType.BaseData, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.end(0, 4);
    awaitEvent("release 0");
    assertThat(cluster.events())
        .containsSubsequence("limit of 0 is 4", "checkpoint 0 4 key 4", "release 0");
    assertThat(processor.farewells).contains("ended p0_1");
  }

  @Test
  void a_base_channel_begins_behind_the_key_that_it_was_assigned_with() {
    RecordingProcessor processor = new RecordingProcessor();
    FakeLeaders leaders = new FakeLeaders(2, ChannelType.BaseData, 1);
    leaders.append(0, 5);
    leaders.startAt(0, 5, FakeLeaders.key(5));
    start(leaders, processor);
    awaitEvent("attach 0 at 1 from 5");
    awaitEvent("key 5");
    cluster.end(0, 5);
    awaitEvent("limit of 0 is 5");
    awaitEvent("release 0");
  }

  @Test
  void a_lost_session_ends_its_feeds_and_the_next_one_attaches_anew() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.dropSession();
    Waits.until("another attachment", () -> count("attach 0 at 1 from 0") == 2);
    Waits.until("one link", () -> cluster.node(1).connections().size() == 1);
    assertThat(heard).contains("p0_1 LOST");
  }

  @Test
  void a_session_that_is_found_nowhere_is_asked_for_with_pauses() {
    FakeLeaders leaders = streams(2, 1);
    leaders
        .node(0)
        .on(
            Operation.OPEN_SESSION,
            (connection, frame) ->
                connection.sendOn(frame, Optional.of(leaders.node(1).address())));
    cluster = leaders;
    client = new TunnelClient(leaders.config().withRetryDeadline(Duration.ofMillis(300)));
    worker = new TunnelWorker("tunnel", client, WorkerFixture.config(new RecordingProcessor()));
    assertThatThrownBy(worker::connectAndWorking)
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("not the leader");
  }

  /** With more channels than the budget has shares, whatever closes frees credit for others. */
  @Test
  void a_session_that_is_lost_while_a_channel_is_moved_is_replaced() {
    RecordingProcessor processor = new RecordingProcessor();
    creditBytes = 256 << 10;
    bufferBytes = 3L * creditBytes;
    start(streams(2, 1, 1, 1, 1), processor);
    for (int i = 0; i < 4; i++) {
      cluster.append(i, 4);
      awaitAll(processor, i);
    }
    cluster.ignoreReleases();
    cluster.revoke(0);
    awaitEvent("release 0");
    cluster.dropSession();
    Waits.until("a new session", () -> count("open") == 2);
    for (int i = 0; i < 4; i++) {
      int channel = i;
      cluster.append(i, 4);
      Waits.until(
          "the last change of channel " + i,
          () -> processor.positions(channel).contains(cluster.last(channel)));
    }
    worker.shutdown();
    assertThat(worker.status().state()).isEqualTo(TunnelWorkerStatus.State.WORKER_ENDED);
  }
}
