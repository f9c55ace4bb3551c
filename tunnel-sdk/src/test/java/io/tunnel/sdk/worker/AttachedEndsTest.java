package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.fake.FakeLeaders;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.ICheckpointer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Ends of attached channels, and the keys of their rows. */
final class AttachedEndsTest extends AttachedWorkerFixture {

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
    // This channel got no delivery: the settled position is its only progress.
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

  /** The key of the row at the position is unknown, and a checkpoint of rows needs a key. */
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
}
