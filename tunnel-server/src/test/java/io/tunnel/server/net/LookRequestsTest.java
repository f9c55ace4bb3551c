package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.FakeLooks;
import io.tunnel.server.net.audit.AuditTrail.Written;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.LookAnswer;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Refused;
import io.tunnel.wire.LookAnswer.VerifiedUpTo;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Verified;
import io.tunnel.wire.LookRequest.Where;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may look at a node, and what the node answers. */
final class LookRequestsTest {

  private static final String SELF = "n2";
  private static final Found FOUND =
      new Found(5, 1, 40, Optional.of(7L), List.of(), Optional.empty());

  @TempDir private Path directory;
  private final FakeLooks looks = new FakeLooks();
  private GatedConnection at;
  private NodeSeals seals;

  @BeforeEach
  void open() throws IOException {
    at = new GatedConnection(directory, Written.ALL);
    at.node.view.answersLooks(SELF, looks);
    seals = new NodeSeals(at.node.catalog);
    looks.leads(FOUND);
  }

  @AfterEach
  void close() throws IOException {
    at.close();
  }

  private static Where where(int partition) {
    return new Where(partition, List.of(), Optional.empty());
  }

  private byte[] sealed(Question... questions) {
    return sealed(SELF, questions);
  }

  private byte[] sealed(String asked, Question... questions) {
    long nowMs = TimeUnit.MICROSECONDS.toMillis(at.node.clock.epochMicros());
    return seals.seal(new LookRequest("n1", asked, nowMs, List.of(questions)));
  }

  private void greet() throws Exception {
    at.send(0, Operation.HELLO, Hello.request(Protocol.SPOKEN, "node n1").encode());
    assertThat(at.saidAtRest()).hasSize(1);
  }

  private List<Part> looked(byte[] payload) throws Exception {
    Frame answer = at.ask(Operation.LOOK, payload);
    assertThat(answer.kind()).isEqualTo(FrameKind.RESPONSE);
    return seals.openAnswer(payload, answer.payload()).parts();
  }

  private ErrorPayload refused(Operation operation, byte[] payload) throws Exception {
    return RawClient.error(at.ask(operation, payload));
  }

  @Test
  void a_node_without_a_key_looks_and_does_nothing_else() throws Exception {
    greet();
    assertThat(looked(sealed())).isEmpty();
    assertThat(looked(sealed(where(5)))).containsExactly(FOUND);
    assertThat(refused(Operation.WHO_AM_I, new byte[0]).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(refused(Operation.LIST_TABLES, new byte[0]).code())
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    at.reviseRights();
    assertThat(looked(sealed(where(5)))).as("rights end no look").containsExactly(FOUND);
    assertThat(at.audited()).anyMatch(line -> line.contains("\"operation\":\"LOOK\""));
  }

  @Test
  void the_look_that_lets_a_node_in_is_answered_too() throws Exception {
    greet();
    assertThat(looked(sealed(where(5)))).containsExactly(FOUND);
  }

  @Test
  void a_stranger_without_the_seal_is_not_let_in_and_is_audited() throws Exception {
    greet();
    byte[] payload = sealed(where(5));
    payload[payload.length - 1] ^= 1;
    at.send(1, Operation.LOOK, payload);
    at.pass(60);
    assertThat(at.saidAtRest())
        .singleElement()
        .satisfies(
            frame ->
                assertThat(RawClient.error(frame).code()).isEqualTo(ErrorCode.NOT_AUTHENTICATED));
    at.pass(60);
    assertThat(at.isActive()).isFalse();
    assertThat(looks.asked()).isEmpty();
    assertThat(at.audited())
        .anyMatch(line -> line.contains("CONNECT") && line.contains("NOT_AUTHENTICATED"));
  }

  @Test
  void a_principal_looks_with_the_seal_only_and_the_refusal_is_audited() throws Exception {
    assertThat(at.authenticate(at.key.secret())).hasSize(1);
    byte[] wrong = sealed(where(5));
    wrong[0] ^= 1;
    assertThat(refused(Operation.LOOK, wrong).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(refused(Operation.LOOK, new byte[0]).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(looks.asked()).isEmpty();
    assertThat(at.audited())
        .anyMatch(line -> line.contains("\"LOOK\"") && line.contains("NOT_PERMITTED"));
    assertThat(looked(sealed(where(5)))).containsExactly(FOUND);
  }

  @Test
  void a_look_for_another_node_or_of_another_time_or_cluster_is_refused() throws Exception {
    greet();
    assertThat(looked(sealed())).isEmpty();
    assertThat(refused(Operation.LOOK, sealed("n3", where(5))).message())
        .contains("for node n3, and this is node n2");
    byte[] old = sealed(where(5));
    at.node.clock.pass(NodeSeals.WINDOW_MS + 1);
    assertThat(refused(Operation.LOOK, old).message()).contains("set the clocks");
    MemoryCatalogStore store = new MemoryCatalogStore();
    new Founding(new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex("53"), 1, LogForm.APPENDS)
        .noteIn(store);
    seals = new NodeSeals(new Catalog(store));
    assertThat(refused(Operation.LOOK, sealed(where(5))).message()).contains("only a node of this");
    assertThat(looks.asked()).isEmpty();
  }

  @Test
  void an_open_node_asks_for_the_seal_too() throws Exception {
    try (TestNode open = new TestNode(directory.resolve("open"))) {
      open.view.answersLooks(SELF, looks);
      NodeSeals ofOpen = new NodeSeals(open.catalog);
      try (RawClient client = open.client()) {
        assertThat(client.refused(Operation.LOOK, new byte[20]).code())
            .isEqualTo(ErrorCode.NOT_PERMITTED);
        long nowMs = TimeUnit.MICROSECONDS.toMillis(open.clock.epochMicros());
        byte[] payload = ofOpen.seal(new LookRequest("n1", SELF, nowMs, List.of(new Verified(3))));
        looks.verifies(3, 9);
        assertThat(ofOpen.openAnswer(payload, client.granted(Operation.LOOK, payload)).parts())
            .containsExactly(new VerifiedUpTo(3, Optional.of(9L)));
      }
    }
  }

  @Test
  void a_server_without_looks_says_that_it_is_not_asked() throws Exception {
    try (TestNode open = new TestNode(directory.resolve("open"));
        RawClient client = open.client()) {
      assertThat(client.refused(Operation.LOOK, sealed()))
          .satisfies(
              error -> {
                assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
                assertThat(error.message()).contains("answers no looks");
              });
    }
  }

  @Test
  void each_partition_is_answered_for_itself() throws Exception {
    greet();
    looks.fails(6, ErrorCode.LOG_UNAVAILABLE);
    looks.verifies(8, 99);
    Where since = new Where(10, List.of(3L, 4L), Optional.empty());
    Found of10 = new Found(10, 1, 2, Optional.empty(), List.of(1L, 2L), Optional.empty());
    looks.leads(of10);
    List<Part> parts =
        looked(sealed(where(5), where(6), where(7), new Verified(8), new Verified(9), since));
    assertThat(parts.get(0)).isEqualTo(FOUND);
    assertThat(parts.get(1)).isEqualTo(new Refused(6, ErrorCode.LOG_UNAVAILABLE, "cannot look"));
    assertThat(((Refused) parts.get(2)).code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(parts.get(3)).isEqualTo(new VerifiedUpTo(8, Optional.of(99L)));
    assertThat(parts.get(4)).isEqualTo(new VerifiedUpTo(9, Optional.empty()));
    assertThat(parts.get(5)).isEqualTo(of10);
    assertThat(looks.asked()).contains(since);
  }

  @Test
  void a_partition_that_does_not_answer_delays_the_others_for_two_seconds_at_most()
      throws Exception {
    greet();
    CompletableFuture<Found> never = looks.holds(6);
    byte[] payload = sealed(where(5), where(6));
    at.send(1, Operation.LOOK, payload);
    assertThat(at.saidAtRest()).isEmpty();
    at.pass(1);
    assertThat(at.saidAtRest()).isEmpty();
    at.pass(1);
    List<Part> parts = answered(payload);
    assertThat(parts.get(0)).isEqualTo(FOUND);
    assertThat(((Refused) parts.get(1)).code()).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(never.complete(FOUND)).isTrue();
    assertThat(at.saidAtRest()).as("one answer to one request").isEmpty();
  }

  @Test
  void the_last_partition_that_answers_sends_the_answer() throws Exception {
    greet();
    CompletableFuture<Found> later = looks.holds(6);
    byte[] payload = sealed(where(5), where(6));
    at.send(1, Operation.LOOK, payload);
    assertThat(at.saidAtRest()).isEmpty();
    Found of6 = new Found(6, 0, 0, Optional.empty(), List.of(), Optional.empty());
    assertThat(later.complete(of6)).isTrue();
    assertThat(answered(payload)).containsExactly(FOUND, of6);
    at.pass(10);
    assertThat(at.saidAtRest()).as("one answer to one request").isEmpty();
  }

  private List<Part> answered(byte[] payload) throws Exception {
    List<Frame> answers = at.saidAtRest();
    assertThat(answers).hasSize(1);
    LookAnswer answer = seals.openAnswer(payload, answers.get(0).payload());
    return answer.parts();
  }

  @Test
  void a_request_that_is_too_long_is_refused() throws Exception {
    greet();
    assertThat(looked(sealed())).isEmpty();
    byte[] tooLong = new byte[Operation.LOOK.requestBytesMax() + 1];
    assertThat(refused(Operation.LOOK, tooLong).code()).isEqualTo(ErrorCode.INVALID_REQUEST);
  }
}
