package io.tunnel.wire;

import static io.tunnel.wire.PayloadSamples.KEY;
import static io.tunnel.wire.PayloadSamples.RETRY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.control.FailureControl;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FailureControlTest {

  @Test
  void limitsOfWhatWorkersSayOfFailuresAreKept() {
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
        .hasMessageContaining("names what it skips");
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 7, Bytes.EMPTY, List.of(skip)))
        .hasMessage("position 8 is skipped behind -1 by a checkpoint at 7");
    assertThatThrownBy(
            () -> new FailureControl.SkippingCheckpoint(1, 2, 9, Bytes.EMPTY, List.of(skip, skip)))
        .hasMessage("position 8 is skipped behind 8 by a checkpoint at 9");
    FailureControl.RetryingChannel retrying = new FailureControl.RetryingChannel(1, 2, RETRY);
    assertThatThrownBy(
            () -> new FailureControl.Heartbeat("s-1", Collections.nCopies(257, retrying)))
        .hasMessage("retrying has at most 256 entries, not 257");
  }
}
