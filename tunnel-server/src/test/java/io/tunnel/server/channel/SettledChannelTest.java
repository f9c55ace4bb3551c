package io.tunnel.server.channel;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.TestRows;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.changes.SettledChanges;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.wire.ChannelEnd;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Positions behind the last change that belong to none. */
final class SettledChannelTest {

  private static final int PARTITION = 4;
  private static final int HANDLE = 1;
  private static final long EPOCH = 7;

  private final FakeConnection connection = new FakeConnection();
  private LocalLog log;
  private SettledChanges changes;

  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(new CrashDisk(), 0);
    changes = new SettledChanges(log);
  }

  private Channel channel(ChangesOf tunnel) {
    Channel channel =
        TestChannels.of(changes, 300).stream(
            new Channel.Start(HANDLE, EPOCH, PARTITION, tunnel.checkpointed()),
            OptionalLong.empty(),
            tunnel.endMs(),
            connection);
    channel.start();
    return channel;
  }

  private record ChangesOf(long checkpointed, Optional<Long> endMs) {}

  private static ChangesOf endless(long checkpointed) {
    return new ChangesOf(checkpointed, Optional.empty());
  }

  private void commit() throws IOException {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(PARTITION, put("k")));
    log.append(group, false, 1);
  }

  private static ChannelEnd at(long position) {
    return new ChannelEnd(HANDLE, EPOCH, position);
  }

  @Test
  void a_reader_is_told_once_when_nothing_is_left_to_deliver() throws IOException {
    commit();
    commit();
    Channel channel = channel(endless(0));
    changes.settle(PARTITION, 4);
    connection.runAll();
    assertThat(connection.settled).as("without credit changes are left").isEmpty();
    connection.credit(channel, 1_000);
    connection.runAll();
    assertThat(connection.positions).containsExactly(1L, 2L);
    assertThat(connection.settled).containsExactly(at(4));
    changes.settle(PARTITION, 4);
    connection.credit(channel, 1_000);
    connection.runAll();
    assertThat(connection.settled).containsExactly(at(4));
    changes.settle(PARTITION, 5);
    connection.runAll();
    assertThat(connection.settled).containsExactly(at(4), at(5));
  }

  /** A reader would take an earlier begin for changes that it has missed. */
  @Test
  void what_follows_is_delivered_from_behind_what_was_settled() throws IOException {
    commit();
    Channel channel = channel(endless(1));
    connection.credit(channel, 1_000);
    changes.settle(PARTITION, 3);
    connection.runAll();
    assertThat(connection.settled).containsExactly(at(3));
    log.adopt(List.of(behind(4)));
    connection.runAll();
    assertThat(connection.positions).containsExactly(4L);
    assertThat(connection.firsts).containsExactly(4L);
  }

  private static ChangeBatch behind(long position) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.add(put("k"));
    byte[] array = builder.build(PARTITION, position, position);
    return ChangeBatch.parse(array, 0, array.length);
  }

  @Test
  void who_has_everything_is_told_without_credit() throws IOException {
    commit();
    changes.settle(PARTITION, 3);
    channel(endless(1));
    assertThat(connection.settled).containsExactly(at(3));
    connection.settled.clear();
    channel(endless(3));
    assertThat(connection.settled).as("it was told before it moved here").isEmpty();
  }

  /** A copy that was made anew from a compacted log has read it all, and not what went before. */
  @Test
  void what_is_not_known_is_not_taken_for_empty() throws IOException {
    commit();
    changes.settle(PARTITION, 6);
    changes.forgetBefore(5);
    channel(endless(1));
    assertThat(connection.settled).isEmpty();
    assertThat(connection.failures)
        .extracting(RefusedException::code)
        .containsExactly(ErrorCode.HISTORY_LOST);
  }

  /** Such a replica lacks the changes from before its creation. */
  @Test
  void what_has_to_be_fetched_is_delivered_before_the_rest_is_said_to_be_empty()
      throws IOException {
    commit();
    Channel channel = channel(endless(1));
    connection.credit(channel, 1_000);
    changes.beginAt(5);
    changes.fetch(PARTITION, true);
    changes.settle(PARTITION, 6);
    connection.runAll();
    assertThat(connection.settled).isEmpty();
    changes.planNext(Extents.held(List.of(behind(3))));
    changes.fetch(PARTITION, false);
    connection.runAll();
    assertThat(connection.positions).containsExactly(3L);
    assertThat(connection.settled).containsExactly(at(6));
  }

  @Test
  void what_was_told_to_be_empty_may_be_forgotten() throws IOException {
    commit();
    channel(endless(1));
    changes.settle(PARTITION, 4);
    connection.runAll();
    changes.forgetBefore(5);
    changes.settle(PARTITION, 6);
    connection.runAll();
    assertThat(connection.settled).containsExactly(at(4), at(6));
    assertThat(connection.failures).isEmpty();
  }

  @Test
  void a_connection_that_is_full_is_told_when_it_takes_more() throws IOException {
    commit();
    Channel channel = channel(endless(1));
    connection.isWritable = false;
    changes.settle(PARTITION, 2);
    changes.settle(PARTITION, 3);
    connection.runAll();
    assertThat(connection.settled).isEmpty();
    connection.isWritable = true;
    channel.resume();
    connection.runAll();
    assertThat(connection.settled).containsExactly(at(3));
  }

  @Test
  void a_channel_whose_end_is_still_to_be_found_is_not_told_because_the_end_may_lie_before()
      throws IOException {
    commit();
    changes.settle(PARTITION, 5);
    Channel channel = channel(new ChangesOf(1, Optional.of(Long.MAX_VALUE / 1_000)));
    assertThat(connection.settled).isEmpty();
    channel.endAt(2);
    connection.runAll();
    assertThat(connection.settled).isEmpty();
    assertThat(connection.ends).containsExactly(at(2));
  }

  @Test
  void in_a_log_of_changes_alone_nothing_is_told() throws IOException {
    commit();
    Channel channel = channel(endless(0));
    connection.credit(channel, 1_000);
    for (int i = 0; i < 5; i++) {
      commit();
      connection.runAll();
    }
    assertThat(connection.positions).hasSize(6);
    assertThat(connection.settled).isEmpty();
  }
}
