package io.tunnel.it.contract;

import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** The fake that users test against keeps the contract, and finds no fault with the SDK. */
class FakeContractTest extends WholeContract {

  @Override
  Subject begin() {
    InMemoryTunnelService service = InMemoryTunnelService.start();
    return new Subject() {
      @Override
      public int port() {
        return Integer.parseInt(service.endpoint().replaceFirst(".*:", ""));
      }

      @Override
      public void letLeaseEnd() {
        service.advance(Duration.ofSeconds(1));
      }

      @Override
      public long nowMs() {
        return service.now().toEpochMilli();
      }

      @Override
      public void awaitTime(long ms) {
        service.advanceWithHeartbeats(Duration.ofMillis(ms - nowMs()));
      }

      @Override
      public void expectMisconduct() {
        var unused = service.lenient();
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
      return FakeContractTest.this.begin();
    }
  }

  @Nested
  class Writers extends WritersContract {
    @Override
    Subject begin() {
      return FakeContractTest.this.begin();
    }
  }
}
