package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.catalog.Asked;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Seeks of a server that is alone, which knows its logs at once. */
final class Seeks {

  private Seeks() {}

  /** Moves progress, and throws what it is refused with. */
  static SeekResult now(Operators operators, Seek seek) throws IOException {
    return now(operators, seek, Asked.NAMELESS);
  }

  /** The answer to a request that may come again. */
  static SeekResult now(Operators operators, Seek seek, Asked asked) throws IOException {
    List<SeekResult> results = new ArrayList<>();
    List<Exception> failures = new ArrayList<>();
    operators.seek(
        seek,
        asked,
        new Operators.Answer<>() {
          @Override
          public void done(SeekResult result) {
            results.add(result);
          }

          @Override
          public void failed(Exception reason) {
            failures.add(reason);
          }
        });
    assertThat(results.size() + failures.size()).as("answers").isEqualTo(1);
    if (results.isEmpty()) {
      if (failures.get(0) instanceof IOException failure) {
        throw failure;
      }
      throw (RuntimeException) failures.get(0);
    }
    return results.get(0);
  }
}
