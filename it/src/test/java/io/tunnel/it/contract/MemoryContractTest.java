package io.tunnel.it.contract;

import io.tunnel.it.memory.MemoryService;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** The engine keeps the contract over a disk in memory, a sorted map and one thread. */
class MemoryContractTest extends WholeContract {

  @Override
  Subject begin() {
    MemoryService service = MemoryService.start();
    return new Subject() {
      @Override
      public int port() {
        return service.port();
      }

      @Override
      public void letLeaseEnd() {
        service.advance(Duration.ofSeconds(1));
      }

      @Override
      public long nowMs() {
        return service.nowMs();
      }

      @Override
      public void awaitTime(long ms) {
        service.advance(Duration.ofMillis(ms - nowMs()));
      }

      @Override
      public void expectMisconduct() {
        // The engine only refuses.
      }

      @Override
      public void close() {
        service.close();
      }
    };
  }

  @Nested
  class Watches extends WatchesContract {
    @Override
    Subject begin() {
      return MemoryContractTest.this.begin();
    }
  }

  @Nested
  class Writers extends EndedWritersContract {
    @Override
    Subject begin() {
      return MemoryContractTest.this.begin();
    }
  }
}
