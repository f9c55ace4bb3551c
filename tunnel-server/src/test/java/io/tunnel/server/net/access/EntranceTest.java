package io.tunnel.server.net.access;

import static io.tunnel.server.security.files.TestSecurity.ADMIN_KEY;
import static io.tunnel.server.security.files.TestSecurity.ADMIN_SECRET;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.Capabilities;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is let in, and what strangers are told. */
final class EntranceTest {

  private static final String UNKNOWN_KEY = "tkunknownunknown22";
  private static final String NO_SUCH_KEY =
      "later NOT_AUTHENTICATED there is no such key, or its secret is another, or somebody stands"
          + " between client and server";

  private final TestGate at;

  EntranceTest() throws IOException {
    at = new TestGate();
  }

  private EntranceFixture stranger() {
    return new EntranceFixture(at.gate, Optional.empty());
  }

  private EntranceFixture greeted() {
    return stranger().greet();
  }

  private static void requireRefused(EntranceFixture client, String words) {
    assertThat(client.refusals).singleElement().asString().startsWith(words);
    assertThat(client.entered).isEmpty();
    assertThat(client.entrance.isPassed()).isFalse();
    assertThat(client.entrance.isOver()).isTrue();
  }

  @Test
  void an_open_gate_lets_everybody_in_who_greets() {
    EntranceFixture client = new EntranceFixture(Gate.open(), Optional.of("CN=bob"));
    assertThat(client.entrance.deadlineS()).isEqualTo(10);
    client.greet();
    assertThat(client.entered).containsSame(Caller.anybody());
    assertThat(client.entrance.isPassed()).isTrue();
    assertThat(Hello.decode(client.answers.get(0)).name()).isEqualTo("server");
  }

  @Test
  void a_client_whose_connection_lost_its_place_hears_no_welcome() {
    EntranceFixture client = new EntranceFixture(Gate.open(), Optional.empty());
    client.hasLostItsPlace = true;
    client.greet();
    requireRefused(client, "at once BUSY its place is taken");
    assertThat(client.answers).isEmpty();
  }

  @Test
  void a_closed_gate_lets_in_who_proves_to_have_a_key_and_proves_it_too() throws IOException {
    EntranceFixture admin = greeted();
    assertThat(admin.entrance.deadlineS()).isEqualTo(5);
    assertThat(admin.entrance.isGreeted()).isTrue();
    assertThat(admin.entrance.isOver()).isFalse();
    assertThat(admin.entered).isEmpty();
    assertThat(admin.authenticate(ADMIN_KEY, ADMIN_SECRET)).isTrue();
    assertThat(admin.entered.orElseThrow().mayDoEverything()).isTrue();
    KeySecret bob = at.create("bob");
    EntranceFixture client = greeted();
    assertThat(client.authenticate(bob.key().id(), bob.secret())).isTrue();
    assertThat(client.entered.orElseThrow().principal()).contains(Principal.ofKey("bob"));
    assertThat(client.entered.orElseThrow().mayDoEverything()).isFalse();
    assertThat(client.entered.orElseThrow().isWelcome()).isTrue();
  }

  @Test
  void a_certificate_lets_in_without_a_key() {
    EntranceFixture client = new EntranceFixture(at.gate, Optional.of("CN=bob,O=Example")).greet();
    assertThat(client.entered.orElseThrow().principal())
        .contains(Principal.ofCertificate("CN=bob,O=Example"));
    assertThat(client.entered.orElseThrow().mayDoEverything()).isFalse();
  }

  @Test
  void a_certificate_that_has_expired_lets_nobody_in_though_tls_resumed_its_session() {
    at.epochMs.set(EntranceFixture.CERTIFICATE_ENDS_MS);
    EntranceFixture late = new EntranceFixture(at.gate, Optional.of("CN=bob")).greet();
    assertThat(late.entered).isEmpty();
    assertThat(late.refusals).singleElement().asString().contains("'CN=bob' has expired");
    assertThat(late.entrance.isOver()).isTrue();
  }

  @Test
  void a_wrong_secret_and_an_unknown_key_are_refused_alike_and_after_as_much_work()
      throws IOException {
    KeySecret one = at.create("bob");
    KeySecret two = at.rotate(at.create("ann").key().id());
    String broken = AccessKey.idOf(Bytes.fromHex("00112233445566778899"));
    at.administrators.put(
        broken, AccessKey.of(broken, Principal.ofKey("eve"), TestSecurity.sealed("x", "y"), 1));
    try (CountedMacs macs = new CountedMacs()) {
      for (String keyId :
          List.of(UNKNOWN_KEY, one.key().id(), two.key().id(), broken, "no id", "\n\0\u202e")) {
        EntranceFixture client = greeted();
        AuthenticationProof seen = client.begin(keyId, EntranceFixture.BINDING);
        assertThat(macs.count()).as("work of a challenge").isZero();
        Bytes wrong = seen.ofClient("wrong".getBytes(StandardCharsets.UTF_8));
        assertThat(macs.count()).as("of this client").isEqualTo(1);
        client.take(new Prove(wrong));
        assertThat(macs.count()).as("of the server, for %s", keyId).isEqualTo(2);
        requireRefused(client, NO_SUCH_KEY);
        assertThat(client.refusals).containsExactly(NO_SUCH_KEY);
      }
    }
  }

  @Test
  void the_server_is_challenged_too_so_nonces_are_drawn_for_each_attempt() {
    assertThat(greeted().begin(ADMIN_KEY, EntranceFixture.BINDING).serverNonce())
        .isNotEqualTo(greeted().begin(ADMIN_KEY, EntranceFixture.BINDING).serverNonce());
  }

  @Test
  void a_client_that_saw_another_certificate_is_refused() {
    EntranceFixture client = greeted();
    assertThat(client.authenticate(ADMIN_KEY, ADMIN_SECRET, TestGate.bytes(1))).isFalse();
    requireRefused(client, NO_SUCH_KEY);
    EntranceFixture plain = greeted();
    assertThat(plain.authenticate(ADMIN_KEY, ADMIN_SECRET, AuthenticationProof.NO_CHANNEL))
        .isFalse();
    requireRefused(plain, NO_SUCH_KEY);
  }

  @Test
  void what_the_server_proves_lets_nobody_in() {
    EntranceFixture client = greeted();
    AuthenticationProof seen = client.begin(ADMIN_KEY, EntranceFixture.BINDING);
    client.take(new Prove(seen.ofServer(ADMIN_SECRET.getBytes(StandardCharsets.UTF_8))));
    requireRefused(client, NO_SUCH_KEY);
  }

  @Test
  void a_proof_serves_on_its_connection_alone() {
    EntranceFixture first = greeted();
    AuthenticationProof seen = first.begin(ADMIN_KEY, EntranceFixture.BINDING);
    Prove proof = new Prove(seen.ofClient(ADMIN_SECRET.getBytes(StandardCharsets.UTF_8)));
    EntranceFixture second = greeted();
    var unused = second.begin(ADMIN_KEY, EntranceFixture.BINDING);
    second.take(proof);
    requireRefused(second, NO_SUCH_KEY);
    first.take(proof);
    assertThat(first.entered).isPresent();
  }

  @Test
  void both_secrets_serve_while_a_key_is_rotated_and_then_the_newer_one() throws IOException {
    KeySecret old = at.create("bob");
    String id = old.key().id();
    KeySecret newer = at.rotate(id);
    EntranceFixture withOld = greeted();
    EntranceFixture withNew = greeted();
    assertThat(withOld.authenticate(id, old.secret())).isTrue();
    assertThat(withNew.authenticate(id, newer.secret())).isTrue();
    at.finish(id);
    assertThat(greeted().authenticate(id, old.secret())).isFalse();
    assertThat(greeted().authenticate(id, newer.secret())).isTrue();
    assertThat(withOld.entered.orElseThrow().isWelcome()).as("came with what has ended").isFalse();
    assertThat(withNew.entered.orElseThrow().isWelcome()).isTrue();
  }

  @Test
  void a_revoked_key_serves_nobody_also_between_challenge_and_proof() throws IOException {
    KeySecret bob = at.create("bob");
    EntranceFixture there = greeted();
    assertThat(there.authenticate(bob.key().id(), bob.secret())).isTrue();
    EntranceFixture between = greeted();
    AuthenticationProof seen = between.begin(bob.key().id(), EntranceFixture.BINDING);
    at.revoke(bob.key().id());
    between.take(new Prove(seen.ofClient(bob.secret().getBytes(StandardCharsets.UTF_8))));
    requireRefused(between, NO_SUCH_KEY);
    EntranceFixture later = greeted();
    assertThat(later.authenticate(bob.key().id(), bob.secret())).isFalse();
    assertThat(there.entered.orElseThrow().isWelcome()).isFalse();
  }

  @Test
  void an_administrators_key_that_is_taken_out_or_becomes_anothers_is_welcome_no_more() {
    EntranceFixture admin = greeted();
    assertThat(admin.authenticate(ADMIN_KEY, ADMIN_SECRET)).isTrue();
    AccessKey key = at.administrators.get(ADMIN_KEY);
    at.administrators.put(
        ADMIN_KEY,
        new AccessKey(ADMIN_KEY, Principal.ofKey("other"), key.sealedSecrets(), 1, false));
    assertThat(admin.entered.orElseThrow().isWelcome()).isFalse();
    assertThat(admin.entered.orElseThrow().mayDoEverything()).isFalse();
    at.administrators.put(ADMIN_KEY, key);
    assertThat(admin.entered.orElseThrow().isWelcome()).isTrue();
    at.administrators.remove(ADMIN_KEY);
    assertThat(admin.entered.orElseThrow().isWelcome()).isFalse();
  }

  @Test
  void a_second_begin_and_a_proof_without_one_are_refused() {
    EntranceFixture twice = greeted();
    var unused = twice.begin(ADMIN_KEY, EntranceFixture.BINDING);
    twice.take(new Begin(ADMIN_KEY, EntranceFixture.NONCE));
    requireRefused(twice, "at once INVALID_REQUEST an authentication has begun");
    EntranceFixture early = greeted();
    early.take(new Prove(TestGate.bytes(1)));
    requireRefused(early, "at once INVALID_REQUEST a proof without a key");
  }

  @Test
  void what_does_not_open_with_a_greeting_is_refused() {
    for (FrameKind kind : FrameKind.values()) {
      for (Operation operation : Operation.values()) {
        if (operation != Operation.HELLO || kind != FrameKind.REQUEST) {
          EntranceFixture client = stranger();
          client.take(operation, kind, EntranceFixture.hello());
          requireRefused(client, "at once INVALID_REQUEST a connection opens with a HELLO");
        }
      }
    }
    EntranceFixture garbage = stranger();
    garbage.take(Operation.HELLO, FrameKind.REQUEST, new byte[] {1, 2, 3});
    requireRefused(garbage, "at once INVALID_REQUEST a greeting that does not open");
  }

  @Test
  void who_speaks_no_version_of_ours_is_told_before_anything_else() {
    EntranceFixture client = stranger();
    client.take(
        Operation.HELLO,
        FrameKind.REQUEST,
        Hello.request(new Capabilities(9_999, 9_999, List.of()), "future").encode());
    requireRefused(client, "at once UNSUPPORTED_VERSION");
    assertThat(client.entrance.isGreeted()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void nothing_but_who_it_is_is_taken_from_a_client_that_has_not_said_so(Operation operation) {
    Set<Operation> proofs = EnumSet.of(Operation.AUTHENTICATE, Operation.LOOK);
    for (FrameKind kind : FrameKind.values()) {
      if (!proofs.contains(operation) || kind != FrameKind.REQUEST) {
        EntranceFixture client = greeted();
        client.take(operation, kind, new Begin(ADMIN_KEY, EntranceFixture.NONCE).encode());
        requireRefused(client, "at once NOT_AUTHENTICATED this server requires authentication");
      }
    }
  }

  @Test
  void a_node_with_the_seal_of_the_cluster_comes_in_and_may_look_only() {
    EntranceFixture node = greeted();
    node.take(Operation.LOOK, FrameKind.REQUEST, new byte[] {EntranceFixture.SEALED});
    assertThat(node.entrance.isPassed()).isTrue();
    Caller caller = node.entered.orElseThrow();
    assertThat(caller).isSameAs(Caller.node());
    assertThat(caller.isWelcome()).isTrue();
    assertThat(caller.mayDoEverything()).isFalse();
    assertThat(caller.principal()).isEmpty();
    assertThat(Caller.anybody().isNode()).isFalse();
    assertThat(Caller.nobody().isNode()).isFalse();
    assertThat(Caller.nobody().isWelcome()).isFalse();
  }

  @Test
  void a_wrong_seal_is_a_failed_attempt_and_a_node_without_its_catalog_says_so_at_once() {
    EntranceFixture stranger = greeted();
    stranger.take(Operation.LOOK, FrameKind.REQUEST, new byte[] {1});
    requireRefused(stranger, "later NOT_AUTHENTICATED no seal");
    EntranceFixture early = greeted();
    early.take(Operation.LOOK, FrameKind.REQUEST, new byte[0]);
    requireRefused(early, "at once BUSY no seal");
  }

  @Test
  void garbage_for_who_it_is_is_refused_at_every_length() {
    byte[] begin = new Begin(ADMIN_KEY, EntranceFixture.NONCE).encode();
    for (int length = 0; length < begin.length; length++) {
      EntranceFixture client = greeted();
      client.take(Operation.AUTHENTICATE, FrameKind.REQUEST, Arrays.copyOf(begin, length));
      requireRefused(client, "at once INVALID_REQUEST");
    }
    EntranceFixture longer = greeted();
    longer.take(Operation.AUTHENTICATE, FrameKind.REQUEST, Arrays.copyOf(begin, begin.length + 1));
    requireRefused(longer, "at once INVALID_REQUEST");
  }

  /** Everything that ends an entrance, and whether the client has greeted before. */
  private List<EntranceFixture> refused() {
    List<EntranceFixture> all = new ArrayList<>();
    all.add(stranger());
    all.get(0).take(Operation.WRITE, FrameKind.REQUEST, new byte[0]);
    all.add(greeted());
    all.get(1).take(Operation.WRITE, FrameKind.REQUEST, new byte[0]);
    all.add(greeted());
    all.get(2).take(Operation.AUTHENTICATE, FrameKind.REQUEST, new byte[] {7});
    all.add(greeted());
    assertThat(all.get(3).authenticate(ADMIN_KEY, "wrong")).isFalse();
    return all;
  }

  @Test
  void of_who_was_refused_nothing_more_is_taken() {
    for (EntranceFixture client : refused()) {
      int answers = client.answers.size();
      client.greet();
      client.take(new Begin(ADMIN_KEY, EntranceFixture.NONCE));
      client.take(Operation.AUTHENTICATE, FrameKind.REQUEST, new byte[] {7});
      client.take(Operation.HELLO, FrameKind.PUSH, new byte[0]);
      assertThat(client.refusals).as("said once").hasSize(1);
      assertThat(client.answers).hasSize(answers);
      assertThat(client.entered).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatever_a_stranger_sends_in_whatever_order_he_is_not_let_in(long seed) throws IOException {
    Random random = new Random(seed);
    KeySecret bob = at.create("bob");
    List<byte[]> heard = overheard(bob);
    for (int i = 0; i < 2_000; i++) {
      EntranceFixture client = random.nextInt(4) == 0 ? stranger() : greeted();
      for (int step = random.nextInt(6); step >= 0; step--) {
        Operation operation = operation(random);
        FrameKind[] kinds = FrameKind.values();
        FrameKind kind =
            random.nextInt(5) == 0 ? kinds[random.nextInt(kinds.length)] : FrameKind.REQUEST;
        client.take(operation, kind, payload(random, bob.key().id(), heard));
      }
      assertThat(client.entered).as("seed %d, client %d", seed, i).isEmpty();
      assertThat(client.entrance.isPassed()).isFalse();
    }
  }

  /** What was sent when the holder of a key came, as who listens on the line has it. */
  private List<byte[]> overheard(KeySecret key) {
    EntranceFixture client = greeted();
    AuthenticationProof seen = client.begin(key.key().id(), EntranceFixture.BINDING);
    byte[] secret = key.secret().getBytes(StandardCharsets.UTF_8);
    client.take(new Prove(seen.ofClient(secret)));
    assertThat(client.entered).isPresent();
    return List.of(
        EntranceFixture.hello(),
        new Begin(key.key().id(), EntranceFixture.NONCE).encode(),
        new Prove(seen.ofClient(secret)).encode(),
        new Prove(seen.ofServer(secret)).encode(),
        client.answers.get(1),
        client.answers.get(2));
  }

  private static Operation operation(Random random) {
    Operation[] all = Operation.values();
    return switch (random.nextInt(4)) {
      case 0 -> all[random.nextInt(all.length)];
      case 1 -> Operation.HELLO;
      default -> Operation.AUTHENTICATE;
    };
  }

  private static byte[] payload(Random random, String keyId, List<byte[]> heard) {
    byte[] noise = new byte[32];
    random.nextBytes(noise);
    return switch (random.nextInt(6)) {
      case 0 -> new Begin(keyId, Bytes.copyOf(noise)).encode();
      case 1 -> new Prove(Bytes.copyOf(noise)).encode();
      case 2 -> Arrays.copyOf(noise, random.nextInt(33));
      default -> heard.get(random.nextInt(heard.size())).clone();
    };
  }

  @Test
  void an_address_that_fails_is_answered_later_and_later() {
    Bytes address = Bytes.fromHex("7f000001");
    assertThat(at.gate.failed(address)).isEqualTo(100_000_000);
    assertThat(at.gate.failed(address)).isEqualTo(200_000_000);
    assertThat(at.gate.failed(Bytes.fromHex("7f000002"))).isEqualTo(100_000_000);
    at.nanos.addAndGet(600_000_000_000L);
    assertThat(at.gate.failed(address)).isEqualTo(100_000_000);
  }

  @Test
  void what_is_agreed_on_is_what_both_sides_speak() {
    EntranceFixture client = greeted();
    Hello answer = Hello.decode(client.answers.get(0));
    assertThat(answer.confirm(Protocol.SPOKEN).version()).isEqualTo(Protocol.SPOKEN.versionMax());
  }
}
