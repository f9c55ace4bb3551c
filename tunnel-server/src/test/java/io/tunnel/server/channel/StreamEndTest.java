package io.tunnel.server.channel;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.wire.ChannelEnd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class StreamEndTest {

  private static final int PARTITION = 4;
  private static final int HANDLE = 1;
  private static final long EPOCH = 7;

  private final FakeConnection connection = new FakeConnection();

  /** Last positions of the batches, which are where a channel may end. */
  private final List<Long> borders = new ArrayList<>(List.of(0L));

  private LocalLog log;

  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(new CrashDisk(), 0);
  }

  private Channel channel(long checkpointed, OptionalLong end) {
    Channel channel =
        TestChannels.of(log, 300).stream(
            new Channel.Start(HANDLE, EPOCH, PARTITION, checkpointed),
            end,
            Optional.empty(),
            connection);
    channel.start();
    return channel;
  }

  private void commit(int rows) throws IOException {
    RowChange row = put("k");
    GroupCore group = new GroupCore(4_096);
    group.add(batch(PARTITION, Collections.nCopies(rows, row)));
    log.append(group, false, 1);
    borders.add(log.committed(PARTITION));
  }

  private static List<Long> positions(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  private static ChannelEnd end(long position) {
    return new ChannelEnd(HANDLE, EPOCH, position);
  }

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everything_up_to_the_end_is_delivered_then_the_end_is_told_once_and_nothing_behind_it(
      long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 8; i++) {
      commit(1 + random.nextInt(4));
    }
    long checkpointed = random.nextInt((int) log.committed(PARTITION) + 1);
    boolean isKnown = random.nextBoolean();
    long knownEnd =
        borders.stream().filter(border -> border >= checkpointed).findFirst().orElseThrow();
    Channel channel =
        channel(checkpointed, isKnown ? OptionalLong.of(knownEnd) : OptionalLong.empty());
    long toldEnd = isKnown ? knownEnd : -1;
    for (int step = 0; step < 60; step++) {
      switch (random.nextInt(6)) {
        case 0 -> commit(1 + random.nextInt(4));
        case 1 -> connection.credit(channel, 1 + random.nextInt(400));
        case 2 -> {
          connection.isWritable = random.nextBoolean();
          if (connection.isWritable) {
            channel.resume();
          }
        }
        case 3 -> {
          if (toldEnd < 0 && step > 30) {
            connection.runAll();
            toldEnd = borderFrom(connection.delivered(checkpointed), random);
            channel.endAt(toldEnd);
            // Nothing is delivered between the saying and the hearing of it.
            connection.runAll();
          }
        }
        default -> {
          Runnable task = connection.posted.poll();
          if (task != null) {
            task.run();
          }
        }
      }
    }
    if (toldEnd < 0) {
      connection.runAll();
      toldEnd = borderFrom(connection.delivered(checkpointed), random);
      channel.endAt(toldEnd);
    }
    connection.isWritable = true;
    connection.runAll();
    connection.credit(channel, 1 << 20);
    commit(3);
    connection.runAll();
    assertThat(connection.failures).isEmpty();
    assertThat(connection.positions).isEqualTo(positions(checkpointed + 1, toldEnd));
    assertThat(connection.ends).containsExactly(end(toldEnd));
    commit(1);
    assertThat(connection.posted).as("an ended channel is not woken").isEmpty();
  }

  private long borderFrom(long delivered, Random random) {
    List<Long> possible = borders.stream().filter(border -> border >= delivered).toList();
    return possible.get(random.nextInt(possible.size()));
  }

  @Test
  void a_channel_that_begins_at_its_end_says_so_without_credit() throws IOException {
    commit(5);
    channel(5, OptionalLong.of(5));
    assertThat(connection.ends).containsExactly(end(5));
    assertThat(connection.positions).isEmpty();
  }

  @Test
  void an_end_that_the_channel_has_come_to_before_it_is_known_is_told_at_once() throws IOException {
    commit(5);
    Channel channel = channel(0, OptionalLong.empty());
    connection.credit(channel, 1 << 20);
    connection.runAll();
    assertThat(connection.ends).isEmpty();
    channel.endAt(5);
    channel.endAt(5);
    connection.runAll();
    assertThat(connection.ends).containsExactly(end(5));
    assertThat(connection.failures).isEmpty();
  }

  /** A shared log may stamp a change late, with a time before an end that was found since. */
  @Test
  void an_end_below_what_was_delivered_is_told_and_nothing_more_is_delivered() throws IOException {
    commit(5);
    commit(5);
    Channel channel = channel(0, OptionalLong.empty());
    connection.credit(channel, 1 << 20);
    connection.runAll();
    int delivered = connection.positions.size();
    channel.endAt(5);
    commit(5);
    connection.runAll();
    assertThat(connection.failures).isEmpty();
    assertThat(connection.ends).containsExactly(end(5));
    assertThat(connection.positions).hasSize(delivered);
  }

  @Test
  void an_end_inside_of_a_batch_fails_the_channel_aloud() throws IOException {
    commit(5);
    commit(5);
    Channel channel = channel(0, OptionalLong.of(7));
    connection.credit(channel, 1 << 20);
    connection.runAll();
    assertThat(connection.positions).isEqualTo(positions(1, 5));
    connection.runAll();
    assertThat(connection.failures)
        .extracting(RefusedException::code)
        .containsExactly(ErrorCode.INTERNAL);
    assertThat(connection.failures.get(0)).hasMessageContaining("ends at 7");
    assertThat(connection.ends).isEmpty();
  }

  @Test
  void a_stopped_channel_hears_of_no_end() throws IOException {
    commit(5);
    Channel channel = channel(5, OptionalLong.empty());
    channel.endAt(3);
    channel.stop();
    connection.runAll();
    assertThat(connection.ends).isEmpty();
    assertThat(connection.failures).isEmpty();
  }

  @Test
  void a_connection_that_fails_unexpectedly_ends_the_channel_instead_of_silencing_it()
      throws IOException {
    commit(5);
    Channel channel = channel(0, OptionalLong.empty());
    connection.duringDelivery =
        () -> {
          throw new IllegalStateException("no memory for a frame");
        };
    connection.credit(channel, 1 << 20);
    commit(5);
    connection.runAll();
    assertThat(connection.failures).hasSize(1);
    assertThat(connection.failures.get(0).code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(connection.failures.get(0)).hasMessageContaining("no memory for a frame");
    assertThat(connection.posted).isEmpty();
  }
}
