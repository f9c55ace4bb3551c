package io.tunnel.server.partition.judge;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.WrittenRows;
import io.tunnel.core.WriterCore;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a shard stores of its writers, and what it finds in its log. */
class WritersTest {

  private static final int P = 7;
  private static final long NOW = 1_700_000_000_000_000L;

  private final Map<Bytes, Bytes> stored = new HashMap<>();
  private Writers writers = restored();

  private Writers restored() {
    return new Writers(stored, () -> new WriterCore(2, 1_000, WriterCore.KEPT_MICROS));
  }

  private static Bytes writer(int id) {
    return Bytes.copyOf(ByteBuffer.allocate(16).putLong(NOW).putLong(id).array());
  }

  private void answered(int writer, long number, WriteResult result) {
    writers.answered(P, new Numbered(writer(writer), number, 0), result, NOW + number);
  }

  private Optional<WriteResult> repeated(int writer, long number, int rows) {
    return writers.repeated(P, new Numbered(writer(writer), number, 0), rows, NOW);
  }

  private void requireEnded(int writer, long number, int rows) {
    assertThatThrownBy(() -> repeated(writer, number, rows))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.WRITER_ENDED));
  }

  private void restart() {
    writers
        .takeRaised()
        .forEach(
            (key, value) -> {
              if (value.length() == 0) {
                stored.remove(key);
              } else {
                stored.put(key, value);
              }
            });
    writers = restored();
  }

  @Test
  void a_forgotten_writer_is_refused_also_after_a_restart() {
    WriteResult result = new WriteResult(4, 1, List.of());
    for (int writer = 1; writer <= 3; writer++) {
      answered(writer, writer, result);
    }
    requireEnded(1, 1, 1);
    restart();
    assertThat(stored).as("two writers, and who was forgotten").hasSize(3);
    requireEnded(1, 1, 1);
    assertThat(repeated(2, 2, 1)).contains(result);
    assertThat(repeated(3, 3, 1)).contains(result);
    assertThat(repeated(4, 1, 1)).isEmpty();
    assertThat(writers.takeRepeated()).isEqualTo(2);
  }

  @Test
  void what_the_log_has_and_the_table_lacks_is_found_in_the_log() {
    List<Rejection> rejected = List.of(new Rejection(1, ErrorCode.CONDITION_FAILED));
    ByteSink value = new ByteSink(100);
    new WrittenRows(0, 2, writer(1), 5, Writers.answer(rejected)).write(value, 0);
    new WrittenRows(3, 1, writer(2), 9, Bytes.EMPTY).write(value, 2);
    ByteSink list = new ByteSink(120);
    Attributes.write(
        list, FormatFeature.WRITTEN.number(), Bytes.copyOf(value.array(), 0, value.size()));
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.setAttributes(Bytes.copyOf(list.array(), 0, list.size()));
    for (String key : List.of("a", "b", "c", "d")) {
      builder.add(put(key));
    }
    byte[] bytes = builder.build(P, 40, NOW);
    writers.saw(ChangeBatch.parse(bytes, 0, bytes.length));
    restart();
    assertThat(repeated(1, 5, 3)).contains(new WriteResult(40, 2, rejected));
    assertThat(repeated(2, 9, 1)).contains(new WriteResult(43, 1, List.of()));
    requireEnded(2, 9, 2);
  }

  @Test
  void a_partition_that_is_gone_leaves_nothing() {
    answered(1, 1, new WriteResult(4, 1, List.of()));
    writers.drop(P);
    assertThat(writers.takeRaised()).isEmpty();
    assertThat(repeated(1, 1, 1)).isEmpty();
  }
}
