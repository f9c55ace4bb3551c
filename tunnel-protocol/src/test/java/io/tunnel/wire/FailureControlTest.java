package io.tunnel.wire;

import static io.tunnel.wire.PayloadSamples.KEY;
import static io.tunnel.wire.PayloadSamples.RETRY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureControlTest {

  @Test
  void limits_of_what_workers_say_of_failures_are_kept() {
    FailureControl.Skip skip = new FailureControl.Skip(8, KEY, "x".repeat(600));
    assertThat(skip.error()).hasSize(FailureControl.ERROR_CHARS_MAX);
    List<FailureControl.Skip> most =
        LongStream.rangeClosed(1, 1_000)
            .mapToObj(at -> new FailureControl.Skip(at, KEY, "odd"))
            .toList();
    assertThat(new FailureControl.SkippingCheckpoint(1, 2, 1_000, Bytes.EMPTY, most).skipped())
        .hasSize(FailureControl.SkippingCheckpoint.SKIPPED_MAX);
    List<FailureControl.Skip> tooMany = new ArrayList<>(most);
    tooMany.add(new FailureControl.Skip(1_001, KEY, "odd"));
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 1_001, Bytes.EMPTY, tooMany))
        .hasMessage("skipped has at most 1000 entries, not 1001");
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 1_001, Bytes.EMPTY, List.of()))
        .hasMessageContaining("has no skipped changes");
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 7, Bytes.EMPTY, List.of(skip)))
        .hasMessage("position 8 is skipped after -1 by a checkpoint at 7");
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 9, Bytes.EMPTY, List.of(skip, skip)))
        .hasMessage("position 8 is skipped after 8 by a checkpoint at 9");
    FailureControl.RetryingChannel retrying = new FailureControl.RetryingChannel(1, 2, RETRY);
    assertThatThrownBy(
            () -> new FailureControl.Heartbeat("s-1", Collections.nCopies(257, retrying)))
        .hasMessage("retrying has at most 256 entries, not 257");
  }

  /** Each limit is inside of an emoji of one text; the others hold what UTF-8 cannot. */
  @ParameterizedTest
  @ValueSource(strings = {"\ud83d\ude00", "\ud83d", "\ude00", "x\ud83d\ude00\ude00"})
  void whatever_a_processor_says_of_its_failure_can_be_sent(String odd) {
    for (String error : List.of(odd, odd.repeat(1_000), "x" + odd.repeat(1_000))) {
      FailureControl.Skip skip = new FailureControl.Skip(8, KEY, error);
      FailureControl.SkippingCheckpoint skipping =
          new FailureControl.SkippingCheckpoint(1, 2, 9, Bytes.EMPTY, List.of(skip));
      assertThat(Json.decode(Json.encode(skipping), FailureControl.SkippingCheckpoint.class))
          .isEqualTo(skipping);

      FailureControl.Retry retry = new FailureControl.Retry(Optional.empty(), 1, 2, 3, error);
      FailureControl.Heartbeat heartbeat =
          new FailureControl.Heartbeat(
              "s-1", List.of(new FailureControl.RetryingChannel(1, 2, retry)));
      assertThat(Json.decode(Json.encode(heartbeat), FailureControl.Heartbeat.class))
          .isEqualTo(heartbeat);

      StopChannel stop = new StopChannel(1, 2, error);
      assertThat(Json.decode(Json.encode(stop), StopChannel.class)).isEqualTo(stop);

      FailureControl.SkippedChange skipped =
          new FailureControl.SkippedChange(7, ChannelType.Stream, 8, KEY, error, 9);
      assertThat(List.of(skip.error(), retry.error(), skipped.error()))
          .allSatisfy(
              kept -> assertThat(kept).hasSizeLessThanOrEqualTo(FailureControl.ERROR_CHARS_MAX));
      assertThat(stop.error()).hasSizeLessThanOrEqualTo(StopChannel.ERROR_CHARS_MAX);
    }
  }

  @Test
  void an_error_loses_no_more_than_the_character_that_is_cut() {
    String cut = "x".repeat(FailureControl.ERROR_CHARS_MAX - 1);
    assertThat(new FailureControl.Skip(8, KEY, cut + "\ud83d\ude00").error()).isEqualTo(cut);
    String whole = cut.substring(1) + "\ud83d\ude00";
    assertThat(new FailureControl.Skip(8, KEY, whole + "x").error()).isEqualTo(whole);
    assertThat(new FailureControl.Skip(8, KEY, "id \ud83d of?").error()).isEqualTo("id ? of?");
    String longer = "x".repeat(StopChannel.ERROR_CHARS_MAX - 1);
    assertThat(new StopChannel(1, 2, longer + "\ud83d\ude00").error()).isEqualTo(longer);
  }
}
