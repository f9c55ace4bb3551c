package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.cluster.Placement.Member;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.security.files.TestSecurity.Authority;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Questions to nodes behind TLS. */
final class PeerLooksTlsTest {

  private static final List<Question> WHERE = List.of(new Where(5, List.of(), Optional.empty()));
  private static final List<Part> FOUND =
      List.of(new Found(5, 1, 40, Optional.of(7L), List.of(), Optional.empty()));

  private final Authority authority = Authority.of("of the cluster");
  private final ManualLater later = new ManualLater();
  private final NodeSeals seals = seals();
  private final PeerLooks looks =
      new PeerLooks(
          "n1",
          new PeerLooks.Tools(
              authority.client().getSocketFactory(), seals, new TestClock(), later));

  private static NodeSeals seals() {
    MemoryCatalogStore store = new MemoryCatalogStore();
    try {
      new Founding(
              new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex("52"), 1, LogForm.APPENDS)
          .noteIn(store);
      return new NodeSeals(new Catalog(store));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static ServerSocketFactory serverOf(Authority signer) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(signer.server().toKeyManagerFactory().getKeyManagers(), null, null);
    return context.getServerSocketFactory();
  }

  private CompletableFuture<List<Part>> ask(LookPeer peer) {
    return looks.ask(new Member("n2", "i", peer.address(), false, 1), WHERE);
  }

  private static void requireFailed(CompletableFuture<List<Part>> answer) {
    assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot ask node n2");
  }

  @AfterEach
  void close() {
    looks.close();
    assertThat(looks.connectionCount()).isZero();
    assertThat(looks.askCount()).isZero();
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(Thread::isAlive)
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("look-"));
  }

  @Test
  void a_question_and_its_answer_pass_through_tls() throws Exception {
    try (LookPeer peer = new LookPeer(seals, serverOf(authority))) {
      CompletableFuture<List<Part>> answer = ask(peer);
      LookPeer.Visit guest = peer.guest();
      guest.answer(guest.next(), FOUND);
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(FOUND);
      CompletableFuture<List<Part>> second = ask(peer);
      guest.answer(guest.next(), FOUND);
      assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(FOUND);
      assertThat(peer.hasVisits()).as("a second connection").isFalse();
    }
  }

  @Test
  void a_node_that_another_authority_signs_is_told_nothing() throws Exception {
    try (LookPeer peer = new LookPeer(seals, serverOf(Authority.of("unknown")))) {
      CompletableFuture<List<Part>> answer = ask(peer);
      LookPeer.Visit visit = peer.visit();
      assertThatThrownBy(visit::next).isInstanceOf(IOException.class);
      requireFailed(answer);
    }
  }

  @Test
  void a_node_without_tls_is_not_asked() throws Exception {
    try (LookPeer peer = new LookPeer(seals)) {
      CompletableFuture<List<Part>> answer = ask(peer);
      peer.visit().bytes(new byte[64]);
      requireFailed(answer);
    }
  }

  @Test
  void a_handshake_that_hangs_ends_with_the_question_and_keeps_no_thread() throws Exception {
    try (LookPeer peer = new LookPeer(seals)) {
      CompletableFuture<List<Part>> answer = ask(peer);
      LookPeer.Visit unused = peer.visit();
      later.fire(PeerLooks.DEADLINE_MS);
      assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(IOException.class);
    }
  }
}
