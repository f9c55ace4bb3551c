package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lag;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookAnswer.Refused;
import io.tunnel.wire.LookAnswer.Unpinned;
import io.tunnel.wire.LookAnswer.VerifiedUpTo;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Unpin;
import io.tunnel.wire.LookRequest.Verified;
import io.tunnel.wire.LookRequest.Where;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The limits of looks, and bytes that are none. */
class LookTest {

  private static final String NAME = "n".repeat(LookRequest.NAME_BYTES_MAX);

  private static LookRequest of(List<Question> questions) {
    return new LookRequest("a", "b", 0, questions);
  }

  private static Where largest(int partition) {
    List<Long> moments = Collections.nCopies(LookRequest.MOMENTS_MAX, Long.MIN_VALUE);
    return new Where(partition, moments, Optional.of(new KnownPosition(1, 1)));
  }

  @Test
  void the_largest_look_and_its_largest_answers_fit() {
    List<Question> questions = new ArrayList<>();
    List<LookAnswer.Part> found = new ArrayList<>();
    List<LookAnswer.Part> refused = new ArrayList<>();
    List<Long> positions = Collections.nCopies(LookRequest.MOMENTS_MAX, Long.MAX_VALUE);
    for (int i = 0; i < LookRequest.QUESTIONS_MAX; i++) {
      questions.add(largest(i));
      found.add(new Found(i, 1, 1, Optional.of(1L), positions, Optional.of(1L)));
      refused.add(new Refused(i, ErrorCode.NOT_LEADER, "\u4e00".repeat(1_000)));
    }
    LookRequest look = new LookRequest(NAME, NAME, 0, questions);
    byte[] sealed = new byte[LookRequest.SEAL_BYTES + look.encode().length];
    assertThatCode(() -> Operation.LOOK.requireSize(sealed)).doesNotThrowAnyException();
    assertThat(LookRequest.decode(look.encode())).isEqualTo(look);
    for (List<LookAnswer.Part> parts : List.of(found, refused)) {
      LookAnswer answer = new LookAnswer(parts);
      assertThat(answer.encode()).hasSizeLessThan(600_000);
      assertThat(LookAnswer.decode(answer.encode())).isEqualTo(answer);
      assertThat(answer.isTo(questions)).isTrue();
    }
  }

  @Test
  void one_more_question_moment_or_byte_of_a_name_is_refused() {
    List<Question> many =
        IntStream.rangeClosed(0, LookRequest.QUESTIONS_MAX)
            .<Question>mapToObj(Verified::new)
            .toList();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of(many))
        .withMessageContaining("1001 questions");
    List<Long> moments = Collections.nCopies(LookRequest.MOMENTS_MAX + 1, 0L);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Where(1, moments, Optional.empty()))
        .withMessageContaining("17 times");
    for (String name : List.of("", NAME + "n")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new LookRequest(name, "b", 0, List.of()));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new LookRequest("a", name, 0, List.of()));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Found(1, 0, 0, Optional.empty(), moments, Optional.empty()));
    List<LookAnswer.Part> parts =
        Collections.nCopies(LookRequest.QUESTIONS_MAX + 1, new VerifiedUpTo(1, Optional.empty()));
    assertThatIllegalArgumentException().isThrownBy(() -> new LookAnswer(parts));
  }

  @Test
  void the_largest_question_about_lags_and_its_answer_fit() {
    List<Question> questions = new ArrayList<>();
    List<LookAnswer.Part> parts = new ArrayList<>();
    List<Long> positions = Collections.nCopies(LookRequest.POSITIONS_MAX, Long.MAX_VALUE);
    List<Lag> lags = Collections.nCopies(LookRequest.POSITIONS_MAX, new Lag(Long.MAX_VALUE, 1));
    for (int i = 0; i < LookRequest.QUESTIONS_MAX; i++) {
      questions.add(new Behind(i, positions));
      parts.add(new Lags(i, 1, 2, lags));
    }
    LookRequest look = new LookRequest(NAME, NAME, 0, questions);
    byte[] sealed = new byte[LookRequest.SEAL_BYTES + look.encode().length];
    assertThatCode(() -> Operation.LOOK.requireSize(sealed)).doesNotThrowAnyException();
    assertThat(LookRequest.decode(look.encode())).isEqualTo(look);
    LookAnswer answer = new LookAnswer(parts);
    assertThat(answer.encode()).hasSizeLessThan(600_000);
    assertThat(LookAnswer.decode(answer.encode())).isEqualTo(answer);
    assertThat(answer.isTo(questions)).isTrue();
    assertThat(new Lags(1, 1, 2, lags).isTo(new Behind(2, positions))).isFalse();
    assertThat(new Lags(1, 1, 2, List.of()).isTo(new Behind(1, positions))).isFalse();
    assertThat(new Lags(1, 1, 2, lags).isTo(new Verified(1))).isFalse();
  }

  @Test
  void a_leader_may_say_that_the_bytes_after_a_position_are_unknown() {
    LookAnswer answer =
        new LookAnswer(List.of(new Lags(1, 1, 2, List.of(new Lag(Lag.UNKNOWN, Lag.UNKNOWN)))));
    assertThat(LookAnswer.decode(answer.encode())).isEqualTo(answer);
  }

  @Test
  void one_more_position_or_a_negative_number_is_no_question_about_lags() {
    List<Long> many = Collections.nCopies(LookRequest.POSITIONS_MAX + 1, 1L);
    assertThatIllegalArgumentException().isThrownBy(() -> new Behind(1, many));
    assertThatIllegalArgumentException().isThrownBy(() -> new Behind(1, List.of(-1L)));
    assertThatIllegalArgumentException().isThrownBy(() -> new Lag(-2, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new Lag(0, -2));
    assertThatIllegalArgumentException().isThrownBy(() -> new Lags(1, -1, 0, List.of()));
    ByteSink sink = new ByteSink(16);
    sink.writeVarint(1);
    sink.writeInt(1);
    sink.writeByte(4);
    sink.writeLong(1);
    sink.writeLong(1);
    sink.writeVarint(LookRequest.POSITIONS_MAX + 1);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> LookAnswer.decode(sink.toByteArray()))
        .withMessageContaining("17 lags");
  }

  @Test
  void the_largest_pins_and_their_answers_fit_and_answer_no_other_question() {
    String tunnelId = "t".repeat(LookRequest.TUNNEL_BYTES_MAX);
    List<Question> questions = new ArrayList<>();
    List<LookAnswer.Part> parts = new ArrayList<>();
    for (int i = 0; i < LookRequest.QUESTIONS_MAX; i += 2) {
      questions.add(new Pin(i, tunnelId));
      questions.add(new Unpin(i + 1, tunnelId));
      parts.add(new Pinned(i, Long.MAX_VALUE, Optional.of(1L)));
      parts.add(new Unpinned(i + 1));
    }
    LookRequest look = new LookRequest(NAME, NAME, 0, questions);
    byte[] sealed = new byte[LookRequest.SEAL_BYTES + look.encode().length];
    assertThatCode(() -> Operation.LOOK.requireSize(sealed)).doesNotThrowAnyException();
    assertThat(LookRequest.decode(look.encode())).isEqualTo(look);
    LookAnswer answer = new LookAnswer(parts);
    assertThat(LookAnswer.decode(answer.encode())).isEqualTo(answer);
    assertThat(answer.isTo(questions)).isTrue();
    Pinned pinned = new Pinned(1, 2, Optional.empty());
    assertThat(pinned.isTo(new Pin(2, "t"))).isFalse();
    assertThat(pinned.isTo(new Unpin(1, "t"))).isFalse();
    assertThat(new Unpinned(1).isTo(new Unpin(2, "t"))).isFalse();
    assertThat(new Unpinned(1).isTo(new Pin(1, "t"))).isFalse();
  }

  @Test
  void a_pin_of_no_tunnel_or_of_a_long_id_is_refused() {
    for (String id : List.of("", "t".repeat(LookRequest.TUNNEL_BYTES_MAX + 1), "é".repeat(33))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Pin(1, id))
          .withMessageContaining("1 to 64 bytes");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Unpin(1, id))
          .withMessageContaining("1 to 64 bytes");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> new Pin(-1, "t"));
    assertThatIllegalArgumentException().isThrownBy(() -> new Unpin(-1, "t"));
    assertThatIllegalArgumentException().isThrownBy(() -> new Pinned(1, -1, Optional.empty()));
    assertThatIllegalArgumentException().isThrownBy(() -> new Pinned(-1, 1, Optional.empty()));
    assertThatIllegalArgumentException().isThrownBy(() -> new Unpinned(-1));
  }

  @Test
  void partitions_rise_and_are_at_least_0() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of(List.of(new Verified(2), new Verified(2))));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> of(List.of(new Verified(2), new Verified(1))));
    assertThatIllegalArgumentException().isThrownBy(() -> new Verified(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> largest(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> new Refused(-1, ErrorCode.BUSY, ""));
    assertThatIllegalArgumentException().isThrownBy(() -> new VerifiedUpTo(-1, Optional.empty()));
  }

  @Test
  void a_found_position_is_at_least_0() {
    Optional<Long> none = Optional.empty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Found(1, -1, 0, none, List.of(), none));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Found(1, 0, -1, none, List.of(), none));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Found(1, 0, 0, none, List.of(-1L), none));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Found(1, 0, 0, none, List.of(), Optional.of(-1L)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Found(-1, 0, 0, none, List.of(), none));
  }

  @Test
  void an_answer_is_to_its_questions_only() {
    Optional<KnownPosition> known = Optional.of(new KnownPosition(1, 1));
    Where plain = new Where(3, List.of(), Optional.empty());
    Found found = new Found(3, 1, 2, Optional.empty(), List.of(), Optional.empty());
    LookAnswer answer = new LookAnswer(List.of(found));
    assertThat(answer.isTo(List.of(plain))).isTrue();
    assertThat(answer.isTo(List.of())).isFalse();
    assertThat(answer.isTo(List.of(plain, new Verified(4)))).isFalse();
    assertThat(answer.isTo(List.of(new Where(4, List.of(), Optional.empty())))).isFalse();
    assertThat(answer.isTo(List.of(new Where(3, List.of(1L), Optional.empty())))).isFalse();
    assertThat(answer.isTo(List.of(new Where(3, List.of(), known)))).isFalse();
    assertThat(answer.isTo(List.of(new Verified(3)))).isFalse();
    LookAnswer verified = new LookAnswer(List.of(new VerifiedUpTo(3, Optional.of(1L))));
    assertThat(verified.isTo(List.of(new Verified(3)))).isTrue();
    assertThat(verified.isTo(List.of(new Verified(4)))).isFalse();
    assertThat(verified.isTo(List.of(plain))).isFalse();
    LookAnswer refused = new LookAnswer(List.of(new Refused(3, ErrorCode.BUSY, "")));
    assertThat(refused.isTo(List.of(plain))).isTrue();
    assertThat(refused.isTo(List.of(new Verified(4)))).isFalse();
  }

  @Test
  void a_long_reason_is_cut_and_a_longer_one_is_not_read() {
    Refused cut = new Refused(1, ErrorCode.BUSY, "é".repeat(1_000));
    assertThat(cut.reason().getBytes(StandardCharsets.UTF_8)).hasSize(LookAnswer.REASON_BYTES_MAX);
    ByteSink sink = new ByteSink(16);
    sink.writeVarint(1);
    sink.writeInt(1);
    sink.writeByte(0);
    sink.writeShort(ErrorCode.BUSY.code());
    LookRequest.writeText(sink, "x".repeat(LookAnswer.REASON_BYTES_MAX + 1));
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> LookAnswer.decode(sink.toByteArray()))
        .withMessageContaining("a reason of 513 bytes");
  }

  @Test
  void bytes_that_are_no_look_are_malformed_and_nothing_else() {
    long seed = 46;
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] request = mutant(WireSamples.look().encode(), random);
      byte[] answer = mutant(WireSamples.looked().encode(), random);
      try {
        LookRequest read = LookRequest.decode(request);
        assertThat(read.encode()).as("seed %d round %d", seed, round).isEqualTo(request);
      } catch (MalformedException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
      try {
        LookAnswer read = LookAnswer.decode(answer);
        assertThat(LookAnswer.decode(read.encode()))
            .as("seed %d round %d", seed, round)
            .isEqualTo(read);
      } catch (MalformedException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  private static byte[] mutant(byte[] bytes, SplittableRandom random) {
    byte[] mutant = bytes.clone();
    for (int i = random.nextInt(3); i >= 0; i--) {
      mutant[random.nextInt(mutant.length)] = (byte) random.nextInt(256);
    }
    return mutant;
  }
}
