package io.tunnel.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tunnel.server.Logged;
import io.tunnel.server.disk.DiskCondition;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class DiskLookTest {

  @Test
  void a_disk_that_stalls_is_logged_once_by_name_and_once_when_it_goes_on() {
    AtomicReference<DiskCondition> now = new AtomicReference<>(DiskCondition.UP);
    DiskLook look =
        new DiskLook(Map.of("the catalog", now::get, "shard 0", () -> DiskCondition.UP));
    try (Logged log = Logged.of(DiskLook.class)) {
      look.run();
      now.set(DiskCondition.DISK_STALLED);
      look.run();
      look.run();
      now.set(DiskCondition.STORAGE_FAILED);
      look.run();
      look.run();
      assertThat(log.at(Level.WARN)).singleElement().asString().contains("the disk of the catalog");
      assertThat(log.at(Level.INFO)).singleElement().asString().contains("STORAGE_FAILED");
    }
  }
}
