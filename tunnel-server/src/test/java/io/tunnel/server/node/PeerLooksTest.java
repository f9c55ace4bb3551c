package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.cluster.Placement.Member;
import io.tunnel.server.partition.TestClock;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.LookAnswer;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Verified;
import io.tunnel.wire.LookRequest.Where;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Peers that stall, close, lie and die, over sockets. */
@SuppressWarnings("try")
final class PeerLooksTest {

  private static final List<Question> WHERE = List.of(new Where(5, List.of(), Optional.empty()));
  private static final List<Part> FOUND =
      List.of(new Found(5, 1, 40, Optional.of(7L), List.of(), Optional.empty()));
  private static final List<Part> OTHER =
      List.of(new Found(6, 1, 40, Optional.of(7L), List.of(), Optional.empty()));

  private final TestClock clock = new TestClock();
  private final ManualLater later = new ManualLater();
  private final NodeSeals seals = seals("52");
  private LookPeer peer;
  private PeerLooks looks;

  private static NodeSeals seals(String secret) {
    MemoryCatalogStore store = new MemoryCatalogStore();
    try {
      new Founding(
              new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex(secret), 1, LogForm.APPENDS)
          .noteIn(store);
      return new NodeSeals(new Catalog(store));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void open() throws IOException {
    peer = new LookPeer(seals);
    looks =
        new PeerLooks("n1", new PeerLooks.Tools(SocketFactory.getDefault(), seals, clock, later));
  }

  @AfterEach
  void close() throws IOException {
    looks.close();
    assertThat(threads()).as("threads after the close").isEmpty();
    assertThat(looks.askCount()).isZero();
    assertThat(looks.connectionCount()).isZero();
    peer.close();
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(name -> name.startsWith("look-"))
        .toList();
  }

  private Member node() {
    return new Member("n2", "i", peer.address(), false, 1);
  }

  private CompletableFuture<List<Part>> ask() {
    return looks.ask(node(), WHERE);
  }

  private static List<Part> of(CompletableFuture<List<Part>> answer) throws Exception {
    return answer.get(60, TimeUnit.SECONDS);
  }

  private static void requireFailed(CompletableFuture<List<Part>> answer, String words) {
    assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(IOException.class)
        .hasMessageContaining(words);
  }

  private long nowMs() {
    return TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
  }

  @Test
  void questions_of_a_node_share_a_connection_and_are_answered_in_any_order() throws Exception {
    CompletableFuture<List<Part>> first = ask();
    CompletableFuture<List<Part>> second =
        looks.ask(new Member("n2", "i", peer.address(), true, 2), List.of(new Verified(9)));
    LookPeer.Visit guest = peer.guest();
    Frame one = guest.next();
    Frame two = guest.next();
    LookRequest read = guest.read(one, "n2", nowMs());
    assertThat(read.asking()).isEqualTo("n1");
    assertThat(read.questions()).isEqualTo(WHERE);
    List<Part> verified = List.of(new LookAnswer.VerifiedUpTo(9, Optional.of(3L)));
    guest.answer(two, verified);
    assertThat(of(second)).isEqualTo(verified);
    assertThat(first).isNotDone();
    guest.answer(one, FOUND);
    assertThat(of(first)).isEqualTo(FOUND);
    CompletableFuture<List<Part>> third = ask();
    guest.answer(guest.next(), FOUND);
    assertThat(of(third)).isEqualTo(FOUND);
    assertThat(looks.connectionCount()).isEqualTo(1);
    assertThat(peer.hasVisits()).isFalse();
  }

  @Test
  void a_peer_is_told_nothing_before_it_has_proved_the_secret() throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    LookPeer.Visit visit = peer.visit();
    Frame introduction = visit.greet();
    assertThat(visit.read(introduction, "n2", nowMs()).questions()).isEmpty();
    byte[] forged = seals("53").sealAnswer(introduction.payload(), new LookAnswer(List.of()));
    visit.send(Operation.LOOK, FrameKind.RESPONSE, introduction.correlationId(), forged);
    assertThat(visit.isClosedByPeer()).isTrue();
    requireFailed(answer, "without the seal of this cluster");
  }

  @Test
  void a_peer_that_refuses_the_node_or_its_question_is_heard() throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    LookPeer.Visit visit = peer.visit();
    byte[] reason = new ErrorPayload(ErrorCode.NOT_AUTHENTICATED, "set the clocks").encode();
    visit.send(Operation.LOOK, FrameKind.ERROR, visit.greet().correlationId(), reason);
    requireFailed(answer, "set the clocks");
    CompletableFuture<List<Part>> refused = ask();
    LookPeer.Visit guest = peer.guest();
    byte[] busy = new ErrorPayload(ErrorCode.BUSY, "later").encode();
    guest.send(Operation.LOOK, FrameKind.ERROR, guest.next().correlationId(), busy);
    assertThatThrownBy(() -> of(refused))
        .cause()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    CompletableFuture<List<Part>> next = ask();
    guest.answer(guest.next(), FOUND);
    assertThat(of(next)).as("on the same connection").isEqualTo(FOUND);
  }

  @Test
  void a_connection_that_breaks_is_followed_by_one_more_and_not_by_two() throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    CompletableFuture<List<Part>> other = ask();
    LookPeer.Visit first = peer.guest();
    Frame answered = first.next();
    var unused = first.next();
    first.answer(answered, FOUND);
    assertThat(of(CompletableFuture.anyOf(answer, other).thenApply(any -> FOUND))).isEqualTo(FOUND);
    first.close();
    LookPeer.Visit second = peer.guest();
    var again = second.next();
    second.close();
    CompletableFuture<List<Part>> left =
        answer.isDone() && !answer.isCompletedExceptionally() ? other : answer;
    requireFailed(left, "cannot ask node n2");
    assertThat(again.operation()).isEqualTo(Operation.LOOK);
    assertThat(peer.hasVisits()).as("a third connection").isFalse();
  }

  @Test
  void a_question_that_is_asked_again_is_answered() throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    LookPeer.Visit first = peer.guest();
    var unused = first.next();
    first.close();
    LookPeer.Visit second = peer.guest();
    second.answer(second.next(), FOUND);
    assertThat(of(answer)).isEqualTo(FOUND);
  }

  @Test
  void nothing_listens_and_the_question_fails_at_once() throws Exception {
    peer.stopListening();
    requireFailed(ask(), "cannot ask node n2");
    requireFailed(looks.ask(new Member("n2", "i", "no port", false, 1), WHERE), "no port");
  }

  /** A lie ends the connection; the question is asked once more. */
  private void requireDisbelieved(Lie lie) throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    LookPeer.Visit liar = peer.guest();
    lie.tell(liar, liar.next());
    LookPeer.Visit again = peer.guest();
    assertThat(answer).isNotDone();
    again.answer(again.next(), FOUND);
    assertThat(of(answer)).isEqualTo(FOUND);
    assertThat(liar.isClosedByPeer()).isTrue();
    CompletableFuture<List<Part>> last = ask();
    again.answer(again.next(), FOUND);
    assertThat(of(last)).isEqualTo(FOUND);
    again.close();
    LookPeer.Visit end = endOf();
    end.close();
  }

  /** A connection after the closed one, so that the next lie begins with a new one. */
  private LookPeer.Visit endOf() throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    LookPeer.Visit end = peer.guest();
    end.answer(end.next(), FOUND);
    assertThat(of(answer)).isEqualTo(FOUND);
    return end;
  }

  /** What a peer says in place of an answer. */
  @FunctionalInterface
  private interface Lie {
    void tell(LookPeer.Visit visit, Frame request) throws IOException;
  }

  private static void response(LookPeer.Visit visit, int id, byte[] payload) throws IOException {
    visit.send(Operation.LOOK, FrameKind.RESPONSE, id, payload);
  }

  @Test
  void a_peer_that_answers_another_request_is_not_believed() throws Exception {
    requireDisbelieved(
        (visit, request) ->
            response(
                visit,
                request.correlationId() + 1,
                seals.sealAnswer(request.payload(), new LookAnswer(FOUND))));
  }

  @Test
  void a_peer_that_answers_other_questions_is_not_believed() throws Exception {
    requireDisbelieved((visit, request) -> visit.answer(request, OTHER));
  }

  @Test
  void a_peer_that_answers_fewer_questions_is_not_believed() throws Exception {
    requireDisbelieved((visit, request) -> visit.answer(request, List.of()));
  }

  @Test
  void a_peer_with_another_seal_is_not_believed() throws Exception {
    requireDisbelieved(
        (visit, request) ->
            response(
                visit,
                request.correlationId(),
                seals("53").sealAnswer(request.payload(), new LookAnswer(FOUND))));
  }

  @Test
  void a_peer_that_sends_garbage_is_not_believed() throws Exception {
    byte[] garbage = new byte[100];
    Arrays.fill(garbage, (byte) 0x7e);
    requireDisbelieved((visit, request) -> visit.bytes(garbage));
  }

  @Test
  void a_peer_that_pushes_or_answers_by_another_operation_is_not_believed() throws Exception {
    requireDisbelieved(
        (visit, request) ->
            visit.send(
                Operation.LOOK,
                FrameKind.PUSH,
                request.correlationId(),
                seals.sealAnswer(request.payload(), new LookAnswer(FOUND))));
  }

  @Test
  void an_answer_that_is_too_large_is_not_read() throws Exception {
    requireDisbelieved(
        (visit, request) -> {
          byte[] header =
              new Frame(
                      Operation.LOOK,
                      FrameKind.RESPONSE,
                      request.correlationId(),
                      new byte[PeerLink.ANSWER_BYTES_MAX])
                  .header();
          visit.bytes(header);
        });
  }

  @Test
  void a_peer_that_ends_the_connection_with_a_reason_is_left() throws Exception {
    requireDisbelieved(
        (visit, request) ->
            visit.send(
                Operation.HELLO,
                FrameKind.ERROR,
                0,
                new ErrorPayload(ErrorCode.SHUTTING_DOWN, "stops").encode()));
  }

  @Test
  void a_peer_that_stalls_fails_the_question_and_loses_the_connection() throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    LookPeer.Visit stalled = peer.guest();
    var unused = stalled.next();
    later.fire(PeerLooks.DEADLINE_MS);
    requireFailed(answer, "did not answer in 3000 ms");
    assertThat(stalled.isClosedByPeer()).isTrue();
    CompletableFuture<List<Part>> next = ask();
    LookPeer.Visit again = peer.guest();
    again.answer(again.next(), FOUND);
    assertThat(of(next)).isEqualTo(FOUND);
    later.fire(PeerLooks.DEADLINE_MS);
    CompletableFuture<List<Part>> last = ask();
    again.answer(again.next(), FOUND);
    assertThat(of(last)).as("an answered question ends no connection").isEqualTo(FOUND);
  }

  @Test
  void a_peer_that_never_lets_the_node_in_fails_the_question() throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    LookPeer.Visit silent = peer.visit();
    var hello = silent.next();
    assertThat(hello.operation()).isEqualTo(Operation.HELLO);
    later.fire(PeerLooks.DEADLINE_MS);
    requireFailed(answer, "did not answer in 3000 ms");
    assertThat(silent.isClosedByPeer()).isTrue();
  }

  @Test
  void a_peer_that_does_not_read_keeps_no_thread_behind_the_close() throws Exception {
    List<Question> many =
        IntStream.range(0, LookRequest.QUESTIONS_MAX)
            .<Question>mapToObj(i -> new Where(i, List.of(1L, 2L, 3L), Optional.empty()))
            .toList();
    List<CompletableFuture<List<Part>>> answers = new ArrayList<>();
    answers.add(looks.ask(node(), many));
    LookPeer.Visit guest = peer.guest();
    while (!answers.get(answers.size() - 1).isDone()) {
      answers.add(looks.ask(node(), many));
    }
    requireFailed(answers.get(answers.size() - 1), "bytes wait for answers of the node");
    assertThat(answers).as("in flight").hasSizeBetween(10, 50);
    looks.close();
    for (CompletableFuture<List<Part>> answer : answers) {
      assertThat(answer).isCompletedExceptionally();
    }
    assertThat(guest.isClosedByPeer()).isTrue();
  }

  @Test
  void a_node_that_hangs_leaves_room_for_the_others_and_all_have_a_limit() throws Exception {
    int part = PeerLooks.ASKS_MAX / PeerLooks.PART_OF_NODE;
    List<CompletableFuture<List<Part>>> answers = new ArrayList<>();
    for (int node = 0; node < PeerLooks.PART_OF_NODE; node++) {
      Member hung = new Member("hung" + node, "i", peer.address(), false, 1);
      for (int i = 0; i < part; i++) {
        answers.add(looks.ask(hung, WHERE));
      }
      assertThat(answers).allMatch(answer -> !answer.isDone());
      boolean isLast = node == PeerLooks.PART_OF_NODE - 1;
      requireFailed(looks.ask(hung, WHERE), "256 requests of");
      if (isLast) {
        requireFailed(ask(), "1024 requests of");
      }
    }
    assertThat(looks.askCount()).isEqualTo(PeerLooks.ASKS_MAX);
    later.fire(PeerLooks.DEADLINE_MS);
    for (CompletableFuture<List<Part>> answer : answers) {
      requireFailed(answer, "not answer");
    }
    assertThat(looks.askCount()).isZero();
  }

  @Test
  void requests_in_flight_are_counted_until_they_end() throws Exception {
    List<CompletableFuture<List<Part>>> answers = new ArrayList<>();
    int part = PeerLooks.ASKS_MAX / PeerLooks.PART_OF_NODE;
    for (int i = 0; i < part; i++) {
      answers.add(ask());
    }
    requireFailed(ask(), "256 requests of");
    assertThat(looks.askCount()).isEqualTo(part);
    LookPeer.Visit guest = peer.guest();
    guest.answer(guest.next(), FOUND);
    assertThat(of(answers.get(0))).isEqualTo(FOUND);
    CompletableFuture<List<Part>> next = ask();
    assertThat(next).isNotDone();
    later.fire(PeerLooks.DEADLINE_MS);
    requireFailed(next, "not answer");
    assertThat(looks.askCount()).isZero();
  }

  @Test
  void a_connection_without_questions_is_closed_after_a_while() throws Exception {
    CompletableFuture<List<Part>> answer = ask();
    LookPeer.Visit guest = peer.guest();
    guest.answer(guest.next(), FOUND);
    assertThat(of(answer)).isEqualTo(FOUND);
    later.fire(PeerLooks.IDLE_MS);
    assertThat(looks.connectionCount()).as("used since the last look").isEqualTo(1);
    CompletableFuture<List<Part>> used = ask();
    Frame open = guest.next();
    later.fire(PeerLooks.IDLE_MS);
    later.fire(PeerLooks.IDLE_MS);
    assertThat(looks.connectionCount()).as("with a question in flight").isEqualTo(1);
    guest.answer(open, FOUND);
    assertThat(of(used)).isEqualTo(FOUND);
    later.fire(PeerLooks.IDLE_MS);
    assertThat(looks.connectionCount()).isZero();
    assertThat(guest.isClosedByPeer()).isTrue();
  }

  @Test
  void a_node_with_another_address_has_another_connection() throws Exception {
    CompletableFuture<List<Part>> here = ask();
    LookPeer.Visit guest = peer.guest();
    guest.answer(guest.next(), FOUND);
    assertThat(of(here)).isEqualTo(FOUND);
    try (LookPeer moved = new LookPeer(seals)) {
      CompletableFuture<List<Part>> there =
          looks.ask(new Member("n2", "j", moved.address(), false, 1), WHERE);
      LookPeer.Visit other = moved.guest();
      other.answer(other.next(), FOUND);
      assertThat(of(there)).isEqualTo(FOUND);
      assertThat(looks.connectionCount()).isEqualTo(2);
    }
  }

  @Test
  void a_node_that_stops_asks_no_more() throws Exception {
    CompletableFuture<List<Part>> open = ask();
    LookPeer.Visit guest = peer.guest();
    var unused = guest.next();
    looks.close();
    requireFailed(open, "this node is stopping");
    requireFailed(ask(), "this node is stopping");
    assertThat(peer.hasVisits()).isFalse();
  }

  @Test
  void a_node_without_a_timer_or_a_catalog_asks_nobody() throws Exception {
    later.stop();
    requireFailed(ask(), "this node is stopping");
    try (PeerLooks unread =
        new PeerLooks(
            "n1",
            new PeerLooks.Tools(
                SocketFactory.getDefault(), new NodeSeals(new Catalog()), clock, later))) {
      assertThatThrownBy(() -> of(unread.ask(node(), WHERE)))
          .cause()
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    }
  }
}
