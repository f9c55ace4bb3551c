package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WrittenRows;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.NewerBatches;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class GroupCoreTest {

  private static final Column ONE = new Column("one", ColumnValue.fromLong(1));
  private static final Column TWO = new Column("two", ColumnValue.fromLong(2));

  @Test
  void small_batches_of_one_partition_and_shape_stand_in_the_log_as_one() {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(1, put("a", ONE)));
    group.add(batch(2, put("b", ONE)));
    group.add(batch(1, put("c", ONE), put("d", ONE)));
    long[] positions = encode(group);
    assertThat(group.batches()).hasSize(2);
    assertThat(group.batches().get(0).rowCount()).isEqualTo(3);
    assertThat(positions).containsExactly(1, 1, 2);
  }

  @Test
  void a_batch_with_attributes_stands_alone_and_keeps_them() {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(1, put("a", ONE)));
    group.add(NewerBatches.batch(1, Bytes.fromHex("e8070101"), put("b", ONE)));
    group.add(batch(1, put("c", ONE)));
    ByteSink out = new ByteSink(256);
    int bytes = group.byteCount();
    group.encode(out::write, 0, id -> 5, (partition, count) -> 7, new long[3]);
    assertThat(out.size()).isEqualTo(LogFormat.GROUP_HEADER_BYTES + bytes);
    assertThat(group.batches()).hasSize(3);
    int at = group.batches().get(1).offsetInGroup();
    ChangeBatch logged = ChangeBatch.parse(out.array(), at, out.size());
    assertThat(logged.attributes()).isEqualTo(Bytes.fromHex("e8070101"));
    assertThat(logged.name(0)).isEqualTo("one");
    assertThat(logged.basePosition()).isEqualTo(7);
  }

  private static GroupCore.Attribution by(int writer, String answer) {
    byte[] id = new byte[WrittenRows.WRITER_BYTES];
    id[0] = (byte) writer;
    return new GroupCore.Attribution(
        Bytes.copyOf(id, 0, id.length),
        5,
        Bytes.copyOf(answer.getBytes(UTF_8), 0, answer.length()));
  }

  @Test
  void what_writers_are_answered_stands_after_all_batches_and_in_none_of_them() {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(1, put("a", ONE)), Optional.of(by(1, "first")));
    group.add(batch(2, put("b", ONE)));
    group.add(batch(1, put("c", ONE)));
    group.add(batch(1, put("d", ONE)), Optional.of(by(2, "second")));
    group.add(batch(1, put("e", TWO)), Optional.of(by(3, "third")));
    ByteSink out = new ByteSink(256);
    long[] next = {0, 41, 7};
    group.encode(
        out::write,
        0,
        id -> 9,
        (partition, count) -> {
          next[partition] += count;
          return next[partition] - count;
        },
        new long[group.batchCount()]);
    assertThat(out.size()).isEqualTo(LogFormat.GROUP_HEADER_BYTES + group.byteCount());
    List<ChangeBatch> logged = new ArrayList<>();
    for (int at = LogFormat.GROUP_HEADER_BYTES; at < out.size(); ) {
      ChangeBatch each = ChangeBatch.parse(out.array(), at, out.size());
      logged.add(each);
      at += each.byteCount();
    }
    assertThat(Binary.getInt(out.array(), 28)).isEqualTo(logged.size());
    assertThat(logged).extracting(ChangeBatch::rowCount).containsExactly(3, 1, 1, 0, 0);
    assertThat(logged).extracting(ChangeBatch::partition).containsExactly(1, 2, 1, 1, 1);
    assertThat(logged.subList(0, 3)).noneMatch(ChangeBatch::hasAttributes);
    assertThat(logged)
        .extracting(ChangeBatch::basePosition)
        .containsExactly(41L, 7L, 44L, 41L, 44L);
    assertThat(logged).extracting(ChangeBatch::commitMicros).containsOnly(9L);
    assertThat(WrittenRows.of(logged.get(3)))
        .extracting(WrittenRows::first, WrittenRows::rows, each -> text(each.answer()))
        .containsExactly(tuple(0, 1, "first"), tuple(2, 1, "second"));
    assertThat(WrittenRows.of(logged.get(4)))
        .extracting(WrittenRows::first, WrittenRows::rows, each -> text(each.answer()))
        .containsExactly(tuple(0, 1, "third"));
  }

  private static String text(Bytes bytes) {
    return new String(bytes.toByteArray(), UTF_8);
  }

  @Test
  void another_shape_in_between_keeps_the_order_of_its_partition() {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(1, put("a", ONE)));
    group.add(batch(1, put("b", TWO)));
    group.add(batch(1, put("c", ONE)));
    assertThat(encode(group)).containsExactly(1, 2, 3);
    assertThat(group.batches()).hasSize(3);
  }

  @Test
  void names_that_spell_the_same_bytes_in_another_count_are_another_shape() {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(1, put("a")));
    group.add(batch(1, put("b", ONE)));
    encode(group);
    assertThat(group.batches()).hasSize(2);
  }

  @Test
  void a_merged_batch_is_never_larger_than_its_limit() {
    ChangeBatch first = batch(1, put("a", ONE));
    int mergedBytes = first.byteCount() + first.rowsBytes();
    assertThat(batchesOf(mergedBytes)).isEqualTo(1);
    assertThat(batchesOf(mergedBytes - 1)).isEqualTo(2);
  }

  private static int batchesOf(int mergedBytesMax) {
    GroupCore group = new GroupCore(mergedBytesMax);
    group.add(batch(1, put("a", ONE)));
    group.add(batch(1, put("b", ONE)));
    return group.batches().size();
  }

  @Test
  void a_merged_batch_never_has_more_rows_than_a_batch_may() {
    GroupCore group = new GroupCore(Limits.BATCH_BYTES_MAX);
    group.add(batch(1, Collections.nCopies(Limits.BATCH_ROWS_MAX - 1, put("a"))));
    group.add(batch(1, put("b")));
    group.add(batch(1, put("c")));
    encode(group);
    assertThat(group.batches()).extracting(GroupCore.Merged::rowCount).containsExactly(65_536, 1);
  }

  @Test
  void its_bytes_are_counted_as_they_will_stand() {
    GroupCore group = new GroupCore(4_096);
    List.of(batch(1, put("a", ONE)), batch(1, put("b", ONE)), batch(2, put("c", TWO)))
        .forEach(group::add);
    ByteSink sink = new ByteSink(16);
    group.encode(sink::write, 0, id -> 0, (partition, count) -> 1, new long[3]);
    assertThat(sink.size()).isEqualTo(LogFormat.GROUP_HEADER_BYTES + group.byteCount());
    group.clear();
    assertThat(group.isEmpty()).isTrue();
    assertThat(group.byteCount()).isZero();
  }

  private static long[] encode(GroupCore group) {
    long[] positions = new long[group.batchCount()];
    long[] next = {1, 1, 1};
    group.encode(
        new ByteSink(16)::write,
        0,
        id -> 0,
        (partition, count) -> {
          long first = next[partition];
          next[partition] += count;
          return first;
        },
        positions);
    return positions;
  }
}
