package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.fake.FakeLeaders;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Channels whose changes the leaders of the partitions deliver. */
final class AttachedWorkerTest extends AttachedWorkerFixture {

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
    // The session's connection also carries the deliveries of its node.
    assertThat(cluster.node(0).connections()).hasSize(1);
    assertThat(cluster.node(1).connections()).hasSize(1);
    assertThat(cluster.node(2).connections()).hasSize(1);
  }

  @Test
  void a_renewal_goes_to_who_delivers_the_channel_and_with_the_next_request() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.renew(0, Bytes.fromHex("01"));
    awaitEvent("renew 0 at 1 01");
    cluster.renew(0, Bytes.fromHex("02"));
    awaitEvent("renew 0 at 1 02");
    cluster.move(0, 2, true);
    awaitEvent("attach 0 at 2 from 5");
    assertThat(cluster.events()).containsSubsequence("attach 0 at 2 from 5", "grant 0 02");
    cluster.append(0, 3);
    awaitAll(processor, 0);
    assertThat(cluster.events()).noneMatch(event -> event.startsWith("renew 1"));
  }

  /** The refusal arrives after the session has renewed the grant. */
  @Test
  void a_renewal_that_comes_while_nobody_delivers_is_said_when_somebody_does() {
    RecordingProcessor processor = new RecordingProcessor();
    FakeLeaders leaders = streams(2, 1);
    leaders.refuseAttachments(Optional.of(ErrorCode.BUSY));
    start(leaders, processor);
    Waits.until("an attempt", () -> leaders.attempts() > 0);
    leaders.renew(0, Bytes.fromHex("03"));
    int attempts = leaders.attempts();
    Waits.until("another attempt", () -> leaders.attempts() > attempts + 1);
    leaders.refuseAttachments(Optional.empty());
    awaitEvent("grant 0 03");
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
  void a_leader_that_is_busy_or_has_not_heard_of_the_tunnel_the_key_or_the_right_is_asked_again() {
    for (ErrorCode code :
        List.of(
            ErrorCode.BUSY,
            ErrorCode.LOG_UNAVAILABLE,
            ErrorCode.TUNNEL_NOT_FOUND,
            ErrorCode.NOT_AUTHENTICATED,
            ErrorCode.NOT_PERMITTED)) {
      RecordingProcessor processor = new RecordingProcessor();
      FakeLeaders leaders = streams(2, 1);
      leaders.refuseAttachments(Optional.of(code));
      start(leaders, processor);
      leaders.append(0, 3);
      Waits.until("some attempts", () -> leaders.attempts() > 3);
      leaders.refuseAttachments(Optional.empty());
      awaitAll(processor, 0);
      close();
    }
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
    Waits.until("the notice", () -> heard.contains("p0_1 LOST"));
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

  /** With more channels than the budget has floors, each closing channel frees credit. */
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
