package io.tunnel.stress;

import io.tunnel.sdk.RowResult;
import io.tunnel.terminal.Human;

/** What became of rows, in a sentence for people. */
public final class OutcomeText {

  private OutcomeText() {}

  /** Such as {@code 1 row was rejected}. */
  public static String of(RowResult.Outcome outcome, long rows) {
    boolean isOne = rows == 1;
    String became =
        switch (outcome) {
          case APPLIED -> (isOne ? "was" : "were") + " applied";
          case REJECTED -> (isOne ? "was" : "were") + " rejected";
          case NOT_SENT -> (isOne ? "was" : "were") + " never sent, and so not applied";
          case IN_DOUBT ->
              (isOne ? "is" : "are")
                  + " in doubt: the server did not answer, and may or may not have applied "
                  + (isOne ? "it" : "them");
        };
    return Human.counted(rows, "row") + " " + became;
  }
}
