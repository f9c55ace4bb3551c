package io.tunnel.sdk.worker.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class SkipsCoreTest {

  private static final PrimaryKey SHORT = PrimaryKey.builder().add("id", 1).build();

  private final SkipsCore core = new SkipsCore();

  private static byte[] checkpoint(List<Skip> skips) {
    long position = skips.get(skips.size() - 1).position();
    return Json.encode(new SkippingCheckpoint(1, 1, position, Bytes.EMPTY, skips));
  }

  @Test
  void a_checkpoint_can_name_all_that_were_left_out_before_it_was_full() {
    for (int at = 1; !core.isFull(); at++) {
      core.add(new Skip(at, SHORT, "bad"));
    }
    List<Skip> skips = core.upTo(Long.MAX_VALUE);
    assertThat(skips).hasSize(SkippingCheckpoint.SKIPPED_MAX);
    assertThat(checkpoint(skips).length).isLessThanOrEqualTo(Frame.PAYLOAD_BYTES_MAX);
  }

  /** Each character of these keys and errors takes six bytes in JSON. */
  @Test
  void changes_with_the_longest_keys_are_full_before_a_frame_is() {
    String text = "\u0001".repeat(Limits.KEY_COLUMN_BYTES_MAX);
    PrimaryKey.Builder key = PrimaryKey.builder();
    for (int i = 0; i < Limits.KEY_COLUMNS_MAX; i++) {
      key.add(i + "\u0001".repeat(Limits.COLUMN_NAME_BYTES_MAX - 1), text);
    }
    PrimaryKey longest = key.build();
    for (int at = 1; !core.isFull(); at++) {
      core.add(new Skip(at, longest, text));
    }
    List<Skip> skips = core.upTo(Long.MAX_VALUE);
    assertThat(skips.size()).isGreaterThan(100);
    assertThat(checkpoint(skips).length).isLessThanOrEqualTo(Frame.PAYLOAD_BYTES_MAX);
  }

  @Test
  void what_a_stored_checkpoint_passed_leaves_its_room_to_others() {
    String error = "\u0001".repeat(500);
    while (!core.isFull()) {
      core.add(new Skip(core.upTo(Long.MAX_VALUE).size() + 1, SHORT, error));
    }
    core.stored(1);
    assertThat(core.upTo(Long.MAX_VALUE).get(0).position()).isEqualTo(2);
    core.stored(Long.MAX_VALUE);
    assertThat(core.upTo(Long.MAX_VALUE)).isEmpty();
    core.add(new Skip(1, SHORT, error));
    core.add(new Skip(1, SHORT, "the same again"));
    assertThat(core.upTo(1)).extracting(Skip::error).containsExactly("the same again");
    assertThat(core.isFull()).isFalse();
  }
}
