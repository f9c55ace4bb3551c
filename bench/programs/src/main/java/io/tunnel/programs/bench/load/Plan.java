package io.tunnel.programs.bench.load;

import java.util.OptionalDouble;

/**
 * How the clients of a load operate.
 *
 * @param perSecond operations that are due in a second, of all clients together and at even
 *     distances; empty for a closed loop, where a client begins when its operation before is done
 * @param operationsOfClient after so many a client leaves
 * @param together operations of a client that a stop does not part, such as a creation and the
 *     deletion after it
 * @param answers takes the times of operations
 */
public record Plan(
    OptionalDouble perSecond, long operationsOfClient, int together, Answers answers) {

  /** A closed loop until somebody stops it. */
  public static final Plan CLOSED =
      new Plan(OptionalDouble.empty(), Long.MAX_VALUE, 1, Answers.NONE);

  /** Refuses rates and numbers that no load can have. */
  public Plan {
    if (perSecond.isPresent() && !(perSecond.getAsDouble() > 0)) {
      throw new IllegalArgumentException("a rate is above 0, not " + perSecond.getAsDouble());
    }
    if (operationsOfClient < 0 || together < 1) {
      throw new IllegalArgumentException(
          "operations are at least 0, not "
              + operationsOfClient
              + ", and belong together one by one at least, not "
              + together);
    }
  }

  /** This plan at a rate. */
  public Plan at(double rate) {
    return new Plan(OptionalDouble.of(rate), operationsOfClient, together, answers);
  }

  /** This plan with an end. */
  public Plan operations(long ofClient) {
    return new Plan(perSecond, ofClient, together, answers);
  }

  /** This plan with operations that a stop does not part. */
  public Plan together(int count) {
    return new Plan(perSecond, operationsOfClient, count, answers);
  }

  /** This plan with times. */
  public Plan timed(Answers taken) {
    return new Plan(perSecond, operationsOfClient, together, taken);
  }
}
