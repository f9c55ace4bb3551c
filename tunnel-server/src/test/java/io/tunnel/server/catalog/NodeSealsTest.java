package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.wire.LookAnswer;
import io.tunnel.wire.LookAnswer.VerifiedUpTo;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.LookRequest.Verified;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NodeSealsTest {

  private static final Bytes KEY = Bytes.fromHex("00112233445566778899aabbccddeeff");
  private static final long NOW_MS = 1_790_000_000_000L;
  private static final LookRequest REQUEST =
      new LookRequest("n1", "n2", NOW_MS, List.of(new Verified(3)));
  private static final LookAnswer ANSWER =
      new LookAnswer(List.of(new VerifiedUpTo(3, Optional.of(4L))));

  private final NodeSeals seals = of(KEY);

  private static NodeSeals of(Bytes key) {
    MemoryCatalogStore store = new MemoryCatalogStore();
    try {
      new Founding(new CatalogIdentity(Bytes.fromHex("51")), key, 1, LogForm.APPENDS).noteIn(store);
      return new NodeSeals(new Catalog(store));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void requireRefused(
      NodeSeals seals, byte[] payload, String self, long nowMs, String words) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> seals.open(payload, self, nowMs))
        .withMessageContaining(words)
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
  }

  @Test
  void a_sealed_request_is_opened_by_the_asked_node_only() {
    byte[] payload = seals.seal(REQUEST);
    assertThat(of(KEY).open(payload, "n2", NOW_MS)).isEqualTo(REQUEST);
    requireRefused(seals, payload, "n1", NOW_MS, "for node n2, and this is node n1");
    requireRefused(of(Bytes.fromHex("01")), payload, "n2", NOW_MS, "only a node of this cluster");
  }

  @Test
  void a_request_is_valid_for_half_a_minute_before_and_after_its_time() {
    byte[] payload = seals.seal(REQUEST);
    for (long away : List.of(-NodeSeals.WINDOW_MS, 0L, NodeSeals.WINDOW_MS)) {
      assertThat(seals.open(payload, "n2", NOW_MS + away)).isEqualTo(REQUEST);
    }
    requireRefused(seals, payload, "n2", NOW_MS + NodeSeals.WINDOW_MS + 1, "made 30001 ms ago");
    requireRefused(seals, payload, "n2", NOW_MS - NodeSeals.WINDOW_MS - 1, "made -30001 ms ago");
  }

  @Test
  void no_bit_and_no_byte_of_a_request_can_be_another() {
    byte[] payload = seals.seal(REQUEST);
    for (int bit = 0; bit < 8 * payload.length; bit++) {
      byte[] flipped = payload.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      requireRefused(seals, flipped, "n2", NOW_MS, "only a node of this cluster");
    }
    for (int length = 0; length <= payload.length + 1; length++) {
      if (length != payload.length) {
        byte[] cut = Arrays.copyOf(payload, length);
        requireRefused(seals, cut, "n2", NOW_MS, "only a node of this cluster");
      }
    }
  }

  @Test
  void an_answer_is_to_one_request_and_no_bit_of_it_can_be_another() {
    byte[] payload = seals.seal(REQUEST);
    byte[] answer = seals.sealAnswer(payload, ANSWER);
    assertThat(of(KEY).openAnswer(payload, answer)).isEqualTo(ANSWER);
    byte[] later = seals.seal(new LookRequest("n1", "n2", NOW_MS + 1, REQUEST.questions()));
    requireMalformed(seals, later, answer);
    requireMalformed(of(Bytes.fromHex("01")), payload, answer);
    requireMalformed(seals, payload, payload);
    requireMalformed(seals, payload, new byte[0]);
    for (int bit = 0; bit < 8 * answer.length; bit++) {
      byte[] flipped = answer.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      requireMalformed(seals, payload, flipped);
    }
  }

  private static void requireMalformed(NodeSeals seals, byte[] payload, byte[] answer) {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> seals.openAnswer(payload, answer))
        .withMessageContaining("without the seal of this cluster");
  }

  /** A node that took its own request for an answer would believe everybody. */
  @Test
  void a_request_and_an_answer_with_the_same_bytes_have_different_seals() {
    byte[] payload = seals.seal(REQUEST);
    byte[] answer = seals.sealAnswer(new byte[LookRequest.SEAL_BYTES], ANSWER);
    assertThat(Arrays.copyOf(payload, LookRequest.SEAL_BYTES))
        .isNotEqualTo(Arrays.copyOf(answer, LookRequest.SEAL_BYTES));
  }

  @Test
  void a_node_that_has_not_read_its_catalog_neither_seals_nor_opens() {
    NodeSeals none = new NodeSeals(new Catalog());
    byte[] payload = seals.seal(REQUEST);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> none.seal(REQUEST))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BUSY));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> none.open(payload, "n2", NOW_MS))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BUSY));
  }

  /** Nodes of two versions have to agree. */
  @Test
  void the_seals_are_these_bytes() {
    byte[] payload = seals.seal(REQUEST);
    assertThat(Bytes.copyOf(payload, 0, LookRequest.SEAL_BYTES))
        .isEqualTo(Bytes.fromHex("f36ae829621552819e35652f1f664d78"));
    assertThat(Bytes.copyOf(seals.sealAnswer(payload, ANSWER), 0, LookRequest.SEAL_BYTES))
        .isEqualTo(Bytes.fromHex("cf4da1e7f1e79e3ad17361fedfe2c758"));
  }

  @Test
  void a_purpose_is_shorter_than_what_a_code_of_a_grant_is_over() {
    ChannelGrants grants = ChannelGrants.of(KEY);
    assertThat(grants.derived("a")).isNotEqualTo(grants.derived("b"));
    assertThat(grants.derived("a".repeat(32))).isPresent();
    assertThatIllegalArgumentException().isThrownBy(() -> grants.derived("a".repeat(33)));
  }
}
