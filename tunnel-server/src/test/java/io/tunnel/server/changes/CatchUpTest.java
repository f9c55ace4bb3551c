package io.tunnel.server.changes;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CatchUpTest {

  private static final int PARTITION = 1;

  private final FakeBounds bounds = new FakeBounds();
  private final List<Optional<RefusedException>> told = new ArrayList<>();
  private LocalLog log;
  private PartialChanges copy;
  private CatchUp catchUp;

  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(new CrashDisk(), 0);
    copy = new PartialChanges(log);
    catchUp = new CatchUp(bounds, copy);
  }

  private void commit() throws IOException {
    GroupCore group = new GroupCore(4_096);
    group.add(batch(PARTITION, put("a"), put("b")));
    log.append(group, false, 1);
  }

  @Test
  void it_waits_for_the_end_that_the_log_had_and_for_no_later_one() throws IOException {
    bounds.set(PARTITION, 1, 4);
    catchUp.whenFresh(PARTITION, told::add);
    bounds.set(PARTITION, 1, 100);
    commit();
    assertThat(told).isEmpty();
    commit();
    assertThat(told).containsExactly(Optional.empty());
    assertThat(copy.hasListener()).isFalse();
    commit();
    assertThat(told).hasSize(1);
  }

  @Test
  void what_is_read_already_is_not_waited_for() throws IOException {
    commit();
    bounds.set(PARTITION, 1, 2);
    catchUp.whenFresh(PARTITION, told::add);
    assertThat(told).containsExactly(Optional.empty());
  }

  @Test
  void who_waits_is_told_when_nothing_more_will_be_read() {
    bounds.set(PARTITION, 1, 2);
    catchUp.whenFresh(PARTITION, told::add);
    RefusedException reason = RefusedException.notLeader("no more", Optional.of("other:1"));
    catchUp.giveUp(PARTITION + 1, reason);
    assertThat(told).isEmpty();
    catchUp.giveUp(PARTITION, reason);
    assertThat(told).containsExactly(Optional.of(reason));
    assertThat(copy.hasListener()).isFalse();
  }

  @Test
  void a_log_that_cannot_be_asked_is_a_retriable_refusal() {
    bounds.unreachable(true);
    catchUp.whenFresh(PARTITION, told::add);
    assertThat(told).hasSize(1);
    assertThat(told.get(0).orElseThrow().code()).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(told.get(0).orElseThrow()).hasMessageContaining("no broker answers");
  }
}
