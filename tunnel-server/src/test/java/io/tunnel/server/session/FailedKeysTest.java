package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.tunnel.core.FailureTexts;
import io.tunnel.core.StopReason;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.server.Logged;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.FailureControl.FailedChange;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.FailureControl.Retry;
import io.tunnel.wire.control.FailureControl.RetryingChannel;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Workers name what failed by its key, and only keys that a row of the table can have are kept. */
final class FailedKeysTest extends CoordinatorFixture {

  static Stream<PrimaryKey> oddKeys() {
    return Stream.of(
        TestRows.key("x".repeat(Limits.KEY_COLUMN_BYTES_MAX + 1)),
        TestRows.key("é".repeat(Limits.KEY_COLUMN_BYTES_MAX / 2) + "x"),
        TestRows.key("x".repeat(8 << 20)),
        TestRows.key("half a pair: \ud83d"),
        PrimaryKey.builder().add("k", 7).build(),
        PrimaryKey.builder().add("other", "x").build(),
        PrimaryKey.builder().add("k", "x").add("l", "x").build());
  }

  static Stream<PrimaryKey> keysOfTheTable() {
    return Stream.of(
        TestRows.key(""),
        TestRows.key("x".repeat(Limits.KEY_COLUMN_BYTES_MAX)),
        TestRows.key("\0".repeat(Limits.KEY_COLUMN_BYTES_MAX)),
        TestRows.key("\ud83d\ude00".repeat(Limits.KEY_COLUMN_BYTES_MAX / 4)));
  }

  private static void requireOdd(ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageStartingWith("what failed is named by a key that no row of table 't' can have: ")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1_000));
  }

  private Exception checkpoint(Assignment held, PrimaryKey... skipped) {
    FakeSession.Outcome outcome = new FakeSession.Outcome();
    List<Skip> skips = new ArrayList<>();
    for (PrimaryKey key : skipped) {
      skips.add(new Skip(skips.size() + 1, key, "odd"));
    }
    coordinator.checkpoint(
        List.of(
            new CheckpointRequest(
                checkpoint(held, skipped.length), List.copyOf(skips), first, outcome)));
    assertThat(outcome.told).isEqualTo(1);
    return outcome.refusal;
  }

  private void heartbeat(String session, Assignment held, PrimaryKey key) {
    Retry retry = new Retry(Optional.of(new FailedChange(1, key, 1)), 1, 0, 0, "odd");
    coordinator.heartbeat(
        new Heartbeat(session, List.of(new RetryingChannel(held.handle(), held.epoch(), retry))),
        first);
  }

  private static StopChannel stop(Assignment held, PrimaryKey key) {
    return new StopChannel(
        held.handle(), held.epoch(), "odd", Optional.of(new FailedChange(1, key, 1)));
  }

  private TunnelDescription described() throws IOException {
    TunnelDescription description =
        coordinator.view(tunnel).describe(log, partition -> LogFigures.UNKNOWN, 11);
    return Json.decode(Json.encode(description), TunnelDescription.class);
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("oddKeys")
  void a_checkpoint_that_leaves_out_what_is_no_row_is_refused_and_nothing_of_it_is_stored(
      PrimaryKey odd) throws IOException {
    session(first);
    Assignment held = first.any();
    int writes = store.writes();
    Exception refusal = checkpoint(held, TestRows.key("a"), odd);
    requireOdd(
        () -> {
          throw refusal;
        });
    assertThat(store.writes()).isEqualTo(writes);
    assertThat(checkpointed(catalog, held.partition())).isZero();
    assertThat(described().skipped().count()).isZero();
    assertThat(checkpoint(held, TestRows.key("a"))).isNull();
    assertThat(described().skipped().last())
        .extracting(SkippedChange::key)
        .containsExactly(TestRows.key("a"));
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("oddKeys")
  void a_channel_is_not_stopped_at_what_is_no_row(PrimaryKey odd) throws IOException {
    session(first);
    Assignment held = first.any();
    requireOdd(() -> coordinator.stop(stop(held, odd), first));
    assertThat(first.held).containsValue(held);
    assertThat(described().channels()).allMatch(channel -> channel.failedAt().isEmpty());
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("oddKeys")
  void a_heartbeat_that_retries_what_is_no_row_is_refused_and_renews_nothing(PrimaryKey odd)
      throws IOException {
    String session = session(first);
    Assignment held = first.any();
    surroundings.nowNanos += TimeUnit.MILLISECONDS.toNanos(LEASE_MS - 1);
    requireOdd(() -> heartbeat(session, held, odd));
    assertThat(described().channels()).allMatch(channel -> channel.retry().isEmpty());
    surroundings.nowNanos += TimeUnit.MILLISECONDS.toNanos(2);
    coordinator.tick();
    assertThat(first.held).isEmpty();
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("keysOfTheTable")
  void every_key_that_a_row_can_have_is_taken(PrimaryKey key) throws IOException {
    String session = session(first);
    Assignment held = first.any();
    heartbeat(session, held, key);
    assertThat(view(held).retry().flatMap(Retry::at).map(FailedChange::key)).contains(key);
    assertThat(checkpoint(held, key)).isNull();
    assertThat(described().skipped().last()).extracting(SkippedChange::key).containsExactly(key);
    coordinator.stop(stop(held, key), first);
    assertThat(view(held).failedAt().map(FailedChange::key)).contains(key);
  }

  private static void fill(FailureTexts texts) {
    String error = "x".repeat((int) (FailureTexts.BYTES_MAX / 2) - 1_000);
    texts.replace("others", Optional.empty(), Optional.of(StopReason.of(error)));
  }

  @Test
  void failures_without_space_are_kept_in_short_until_there_is_space() throws IOException {
    String session = session(first);
    Assignment held = first.any();
    PrimaryKey key = TestRows.key("x".repeat(Limits.KEY_COLUMN_BYTES_MAX));
    fill(coordinator.retried());
    heartbeat(session, held, key);
    assertThat(view(held).retry().orElseThrow().at()).as("the key has no space").isEmpty();
    assertThat(view(held).retry().orElseThrow().error()).isEqualTo("odd");
    fill(catalog.stopped());
    coordinator.stop(stop(held, key), first);
    assertThat(view(held).failedAt()).isEmpty();
    assertThat(view(held).error()).contains("odd");
  }

  @Test
  void the_space_of_failures_is_given_back() throws IOException {
    String session = session(first);
    Assignment held = first.any();
    PrimaryKey key = TestRows.key("x");
    FailureTexts retried = coordinator.retried();
    FailureTexts stopped = catalog.stopped();
    heartbeat(session, held, key);
    heartbeat(session, held, key);
    long ofOne =
        FailureTexts.bytes(new StopReason("odd", Optional.of(new FailedChange(1, key, 1))));
    assertThat(retried.bytes()).isEqualTo(ofOne);
    coordinator.heartbeat(new Heartbeat(session, List.of()), first);
    assertThat(retried.bytes()).isZero();
    heartbeat(session, held, key);
    coordinator.stop(stop(held, key), first);
    assertThat(stopped.bytes()).isEqualTo(ofOne);
    assertThat(new TunnelCatalog(new Catalog(store)).stopped().bytes())
        .as("after a start")
        .isEqualTo(ofOne);
    coordinator.forget(tunnel);
    assertThat(retried.bytes()).isZero();
    catalog.deleteTunnel(tunnel);
    assertThat(stopped.bytes()).isZero();
  }

  @Test
  void what_is_said_of_a_channel_that_is_held_no_longer_is_fenced_whatever_its_key() {
    session(first);
    Assignment held = first.any();
    coordinator.release(ref(held), first);
    requireRefused(
        ErrorCode.FENCED, () -> coordinator.stop(stop(held, TestRows.key("\ud83d")), first));
  }

  /** A worker that retries an input of several changes does not know yet which of them fails. */
  @ParameterizedTest
  @CsvSource({"1, ''", "5, ', or one of the 5 changes from there on'"})
  void the_log_says_which_changes_may_be_the_one_that_is_retried(int changes, String others)
      throws IOException {
    String session = session(first);
    Assignment held = first.any();
    FailedChange at = new FailedChange(7, TestRows.key("a"), changes);
    Retry retry = new Retry(Optional.of(at), 1, 0, 0, "odd");
    Heartbeat heartbeat =
        new Heartbeat(session, List.of(new RetryingChannel(held.handle(), held.epoch(), retry)));
    try (Logged logged = Logged.of(Retries.class)) {
      coordinator.heartbeat(heartbeat, first);
      coordinator.heartbeat(heartbeat, first);
      assertThat(logged.at(Level.WARN))
          .as("once, however often it is reported")
          .singleElement()
          .asString()
          .endsWith(
              " is RETRYING, fails at position 7 of partition %d, key %s%s: odd"
                  .formatted(held.partition(), at.key(), others));
    }
  }
}
