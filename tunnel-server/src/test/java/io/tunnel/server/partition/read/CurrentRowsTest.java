package io.tunnel.server.partition.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.table.BaseRows;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Rows that cannot be read; those that can be are read in the tests of attachments. */
final class CurrentRowsTest {

  private final List<RuntimeException> failures = new ArrayList<>();

  private final BaseRows.Sink sink =
      new BaseRows.Sink() {
        @Override
        public void rows(byte[] batch, long lastPosition, Bytes lastKey, boolean isEnd) {
          throw new AssertionError("rows up to " + lastPosition);
        }

        @Override
        public void more() {
          throw new AssertionError("more");
        }

        @Override
        public void end() {
          throw new AssertionError("the end");
        }

        @Override
        public void failed(RuntimeException reason) {
          failures.add(reason);
        }
      };

  private void read(Executor readers) {
    PartitionHosts none =
        partition -> {
          throw new AssertionError("partition " + partition + " is asked for");
        };
    new CurrentRows(new Catalog(), none, readers, () -> 1).read("t", 1, Bytes.EMPTY, 1, 100, sink);
  }

  @Test
  void readers_that_are_busy_say_so_and_the_same_may_be_asked_for_again() {
    read(
        action -> {
          throw new RejectedExecutionException("full");
        });
    assertThat(failures).hasSize(1);
    assertThat(((RefusedException) failures.get(0)).code()).isEqualTo(ErrorCode.BUSY);
    assertThat(((RefusedException) failures.get(0)).retriable()).isTrue();
  }

  @Test
  void a_partition_that_nobody_knows_fails_the_read_and_not_the_reader() {
    read(Runnable::run);
    assertThat(failures).hasSize(1);
  }
}
