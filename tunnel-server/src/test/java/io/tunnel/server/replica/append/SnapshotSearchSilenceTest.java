package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What a search says of a log that gives no record; other tests search logs that do. */
class SnapshotSearchSilenceTest {

  private static final int PARTITION = 1;

  @Test
  void a_log_that_gives_nothing_in_time_is_silent() throws IOException {
    RestoredLogs log = new RestoredLogs();
    log.claim(PARTITION, 5);
    log.isSilent = true;
    try (SnapshotSearch search = new SnapshotSearch(log, PARTITION, 1)) {
      assertThatThrownBy(search::find)
          .isInstanceOf(LogSilentException.class)
          .hasMessage("the log of partition 1 gave nothing in time");
    }
  }
}
