package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.CatchUp;
import io.tunnel.server.changes.FakeLooks;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.cluster.Placement.Member;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Refused;
import io.tunnel.wire.LookAnswer.VerifiedUpTo;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whom a node asks about a partition, and for how long. */
final class LeaderLooksTest {

  private static final String SELF = "n1";

  private final FakeLooks own = new FakeLooks();
  private final ManualLater later = new ManualLater();
  private final Map<Integer, String> leaders = new HashMap<>();
  private final Map<Integer, Set<String>> replicas = new HashMap<>();

  /** Requests to other nodes, oldest first. */
  private final List<Request> requests = new ArrayList<>();

  private final LeaderLooks looks =
      new LeaderLooks(
          SELF,
          this::placement,
          own,
          this::request,
          new LeaderLooks.Timing(() -> TimeUnit.MILLISECONDS.toNanos(later.nowMs()), later),
          partition -> "partition " + partition + (partition == 70 ? " of table orders" : ""));

  private record Request(
      Member node, List<Question> questions, CompletableFuture<List<Part>> answer) {}

  private Placement placement() {
    List<Member> nodes = new ArrayList<>();
    for (String name : List.of("n1", "n2", "n3")) {
      nodes.add(new Member(name, "i", name + ":1", false, 1));
    }
    return new Placement(1, nodes, leaders, replicas);
  }

  private CompletableFuture<List<Part>> request(Member node, List<Question> questions) {
    Request request = new Request(node, questions, new CompletableFuture<>());
    requests.add(request);
    return request.answer();
  }

  private static Where where(int partition) {
    return new Where(partition, List.of(), Optional.empty());
  }

  private static Found found(int partition, long last) {
    return new Found(partition, 1, last, Optional.of(7L), List.of(), Optional.empty());
  }

  private static void answer(Request request, Part... parts) {
    assertThat(request.answer().complete(List.of(parts))).isTrue();
  }

  private static void fail(Request request, Exception why) {
    assertThat(request.answer().completeExceptionally(why)).isTrue();
  }

  private static Refused refused(int partition, ErrorCode code) {
    return new Refused(partition, code, "because");
  }

  private CompletableFuture<Found> ask(int partition) {
    return looks.ask(List.of(where(partition))).get(partition);
  }

  private static void requireFailed(CompletableFuture<Found> answer, String words) {
    assertThat(answer).isCompletedExceptionally();
    Throwable failure = answer.handle((found, why) -> why).join();
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    assertThat(cause).isInstanceOf(IOException.class).hasMessageContaining(words);
  }

  @Test
  void questions_go_to_their_leaders_grouped_by_node_in_rising_order() {
    leaders.putAll(Map.of(9, "n2", 3, "n2", 5, "n3", 4, SELF));
    own.leads(found(4, 40));
    Map<Integer, CompletableFuture<Found>> answers =
        looks.ask(List.of(where(9), where(5), where(4), where(3)));
    assertThat(answers).containsOnlyKeys(3, 4, 5, 9);
    assertThat(answers.get(4)).as("asked without a socket").isCompletedWithValue(found(4, 40));
    assertThat(requests).extracting(one -> one.node().name()).containsExactly("n2", "n3");
    assertThat(requests.get(0).questions()).containsExactly(where(3), where(9));
    answer(requests.get(0), found(3, 30), found(9, 90));
    assertThat(answers.get(3)).isCompletedWithValue(found(3, 30));
    assertThat(answers.get(9)).isCompletedWithValue(found(9, 90));
    assertThat(answers.get(5)).isNotDone();
    fail(requests.get(1), new RefusedException(ErrorCode.NOT_PERMITTED, "set the clocks"));
    requireFailed(answers.get(5), "cannot look at partition 5: set the clocks");
  }

  @Test
  void more_questions_than_a_request_takes_are_several_requests() {
    List<Where> many =
        IntStream.rangeClosed(0, LookRequest.QUESTIONS_MAX)
            .mapToObj(LeaderLooksTest::where)
            .toList();
    many.forEach(one -> leaders.put(one.partition(), "n2"));
    Map<Integer, CompletableFuture<Found>> answers = looks.ask(many);
    assertThat(requests)
        .extracting(one -> one.questions().size())
        .containsExactly(LookRequest.QUESTIONS_MAX, 1);
    answer(requests.get(1), found(LookRequest.QUESTIONS_MAX, 4));
    assertThat(answers.get(LookRequest.QUESTIONS_MAX)).isCompleted();
    assertThat(answers.get(0)).isNotDone();
  }

  @Test
  void a_partition_that_moved_is_asked_about_at_its_next_leader() {
    leaders.put(5, "n2");
    CompletableFuture<Found> answer = ask(5);
    answer(requests.get(0), refused(5, ErrorCode.NOT_LEADER));
    later.pass(LeaderLooks.RETRY_MS - 1);
    assertThat(requests).hasSize(1);
    leaders.put(5, "n3");
    later.pass(1);
    assertThat(requests).extracting(one -> one.node().name()).containsExactly("n2", "n3");
    answer(requests.get(1), found(5, 50));
    assertThat(answer).isCompletedWithValue(found(5, 50));
  }

  @Test
  void a_partition_that_moves_to_this_node_is_asked_about_here() {
    leaders.put(5, "n2");
    CompletableFuture<Found> answer = ask(5);
    fail(requests.get(0), new IOException("connection refused"));
    leaders.put(5, SELF);
    later.pass(LeaderLooks.RETRY_MS);
    assertThat(answer).as("this node claims still").isNotDone();
    own.leads(found(5, 50));
    later.pass(LeaderLooks.RETRY_MS);
    assertThat(answer).isCompletedWithValue(found(5, 50));
    assertThat(requests).hasSize(1);
  }

  @Test
  void a_partition_without_a_leader_waits_for_one() {
    CompletableFuture<Found> answer = ask(5);
    later.pass(LeaderLooks.RETRY_MS);
    assertThat(requests).isEmpty();
    leaders.put(5, "n2");
    later.pass(LeaderLooks.RETRY_MS);
    answer(requests.get(0), found(5, 50));
    assertThat(answer).isCompletedWithValue(found(5, 50));
  }

  @Test
  void a_partition_without_a_leader_fails_by_name_before_the_deadline_and_alone() {
    leaders.put(6, "n2");
    Map<Integer, CompletableFuture<Found>> answers = looks.ask(List.of(where(5), where(6)));
    answer(requests.get(0), found(6, 60));
    assertThat(answers.get(6)).isCompleted();
    later.pass(LeaderLooks.WAIT_MS_MAX - LeaderLooks.RETRY_MS - 1);
    assertThat(answers.get(5)).isNotDone();
    later.pass(LeaderLooks.RETRY_MS + 1);
    requireFailed(answers.get(5), "cannot look at partition 5: the partition has no leader");
  }

  @Test
  void a_user_reads_which_partition_of_which_table_has_no_leader() {
    CompletableFuture<Found> answer = ask(70);
    later.pass(LeaderLooks.WAIT_MS_MAX);
    Throwable failure = answer.handle((found, why) -> why).join();
    RefusedException refusal = CatchUp.unavailable(failure);
    assertThat(refusal.code()).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(refusal)
        .hasMessage(
            "cannot look at partition 70 of table orders: the partition has no leader; try again"
                + " later");
    assertThat(CatchUp.unavailable(new IOException("no broker")))
        .hasMessage("the shared log does not answer (no broker); try again later");
  }

  @Test
  void a_leader_that_never_answers_costs_three_seconds() {
    leaders.put(5, "n2");
    leaders.put(6, SELF);
    CompletableFuture<Found> held = own.holds(6);
    Map<Integer, CompletableFuture<Found>> answers = looks.ask(List.of(where(5), where(6)));
    later.pass(LeaderLooks.WAIT_MS_MAX - 1);
    assertThat(answers.get(5)).isNotDone();
    later.pass(1);
    requireFailed(answers.get(5), "partition 5: no answer in 3000 ms");
    requireFailed(answers.get(6), "partition 6: no answer in 3000 ms");
    assertThat(held.complete(found(6, 60))).isTrue();
    answer(requests.get(0), refused(5, ErrorCode.NOT_LEADER));
    later.pass(10 * LeaderLooks.WAIT_MS_MAX);
    assertThat(requests).as("a question that has failed is asked no more").hasSize(1);
  }

  @Test
  void only_what_may_pass_is_asked_again() {
    leaders.put(5, "n2");
    for (ErrorCode code : ErrorCode.values()) {
      requests.clear();
      CompletableFuture<Found> answer = ask(5);
      answer(requests.get(0), refused(5, code));
      later.pass(LeaderLooks.RETRY_MS);
      boolean isAgain =
          Set.of(ErrorCode.NOT_LEADER, ErrorCode.BUSY, ErrorCode.SHUTTING_DOWN).contains(code);
      assertThat(requests).as("%s", code).hasSize(isAgain ? 2 : 1);
      if (!isAgain) {
        requireFailed(answer, "cannot look at partition 5: because");
      }
      requests.clear();
      CompletableFuture<Found> whole = ask(5);
      fail(requests.get(0), new RefusedException(code, "all"));
      later.pass(LeaderLooks.RETRY_MS);
      assertThat(whole.isDone()).as("%s of the whole request", code).isEqualTo(!isAgain);
    }
  }

  @Test
  void an_own_log_that_is_unavailable_and_a_broken_answer_fail_at_once() {
    leaders.putAll(Map.of(5, SELF, 6, "n2", 7, "n2"));
    own.fails(5, ErrorCode.LOG_UNAVAILABLE);
    requireFailed(ask(5), "cannot look at partition 5: cannot look");
    CompletableFuture<Found> broken = ask(6);
    fail(requests.get(0), new IllegalStateException("a bug"));
    requireFailed(broken, "partition 6: a bug");
    CompletableFuture<Found> other = ask(7);
    answer(requests.get(1), new VerifiedUpTo(7, Optional.empty()));
    requireFailed(other, "partition 7: no answer to the question");
  }

  @Test
  void a_node_that_stops_asks_no_more() {
    leaders.put(5, "n2");
    CompletableFuture<Found> open = ask(5);
    later.stop();
    answer(requests.get(0), refused(5, ErrorCode.NOT_LEADER));
    requireFailed(open, "partition 5: this node is stopping");
    requireFailed(ask(5), "partition 5: this node is stopping");
    assertThat(requests).hasSize(1);
  }

  @Test
  void the_greatest_snapshot_that_another_replica_has_verified_counts() {
    leaders.put(5, SELF);
    replicas.put(5, Set.of("n2", "n3"));
    VerifiedElsewhere elsewhere = new VerifiedElsewhere(SELF, this::placement, this::request);
    CompletableFuture<OptionalLong> best = elsewhere.verified(5);
    assertThat(requests).extracting(one -> one.node().name()).containsExactly("n2", "n3");
    assertThat(requests.get(0).questions()).containsExactly(new LookRequest.Verified(5));
    answer(requests.get(0), new VerifiedUpTo(5, Optional.of(9L)));
    assertThat(best).isNotDone();
    answer(requests.get(1), new VerifiedUpTo(5, Optional.of(4L)));
    assertThat(best).isCompletedWithValue(OptionalLong.of(9));
    requests.clear();
    CompletableFuture<OptionalLong> none = elsewhere.verified(5);
    fail(requests.get(0), new IOException("gone"));
    answer(requests.get(1), refused(5, ErrorCode.NOT_LEADER));
    assertThat(none).isCompletedWithValue(OptionalLong.empty());
    requests.clear();
    CompletableFuture<OptionalLong> one = elsewhere.verified(5);
    fail(requests.get(0), new IOException("gone"));
    answer(requests.get(1), new VerifiedUpTo(5, Optional.of(0L)));
    assertThat(one).isCompletedWithValue(OptionalLong.of(0));
    assertThat(elsewhere.verified(6))
        .as("no other replica")
        .isCompletedWithValue(OptionalLong.empty());
  }
}
