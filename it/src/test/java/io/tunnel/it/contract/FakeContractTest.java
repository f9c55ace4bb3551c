package io.tunnel.it.contract;

import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The fake that users test against keeps the contract, and finds no fault with the SDK. */
class FakeContractTest {

  private static Subject fake() {
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
  class Tables extends TablesContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Sessions extends SessionsContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Tunnels extends TunnelsContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Operators extends OperatorsContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Failures extends FailuresContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Deliveries extends DeliveriesContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Moments extends MomentsContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Readings extends ReadingsContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Returns extends ReturningContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Watches extends WatchesContract {
    @Test
    void a_position_of_another_incarnation_is_refused() throws Exception {
      requireForeignRefused();
    }

    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Increments extends IncrementsContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Writers extends WritersContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class AutoKeys extends AutoKeysContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class AtomicBatches extends AtomicBatchesContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Expiry extends ExpiryContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class BoundRows extends BoundRowsContract {
    @Override
    Subject begin() {
      return fake();
    }
  }

  @Nested
  class Greetings extends GreetingsContract {
    @Override
    Subject begin() {
      return fake();
    }
  }
}
