package io.tunnel.it.contract;

import org.junit.jupiter.api.Nested;

/**
 * The parts of the contract that hold for each subject alike. Numbered writers and watches, of
 * which subjects promise more or less, are in the test of each subject.
 */
abstract class WholeContract {

  /** A subject for one test. */
  abstract Subject begin();

  @Nested
  class Tables extends TablesContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Sessions extends SessionsContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Tunnels extends TunnelsContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Operators extends OperatorsContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Failures extends FailuresContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Deliveries extends DeliveriesContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Moments extends MomentsContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Readings extends ReadingsContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Returns extends ReturningContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Increments extends IncrementsContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class AutoKeys extends AutoKeysContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class AtomicBatches extends AtomicBatchesContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Expiry extends ExpiryContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class BoundRows extends BoundRowsContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }

  @Nested
  class Greetings extends GreetingsContract {
    @Override
    Subject begin() {
      return WholeContract.this.begin();
    }
  }
}
