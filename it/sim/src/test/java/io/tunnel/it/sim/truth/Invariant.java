package io.tunnel.it.sim.truth;

import com.google.errorprone.annotations.FormatMethod;

/** What must hold after every event; docs/internals/proving.md says each in a sentence. */
public enum Invariant {
  ORDER_PER_CHANNEL("order-per-channel"),
  NO_GAP("no-gap"),
  ONE_OWNER("one-owner"),
  NO_CHECKPOINT_BEYOND_DELIVERED("no-checkpoint-beyond-delivered"),
  CHECKPOINT_ONLY_OF_PROCESSED("checkpoint-only-of-processed"),
  ACKNOWLEDGED_SURVIVES("acknowledged-survives"),
  EVERY_ACKNOWLEDGED_CHANGE_DELIVERED("every-acknowledged-change-delivered"),
  NOTHING_UNCOMMITTED_DELIVERED("nothing-uncommitted-delivered"),
  NO_DUPLICATE_ON_GRACEFUL_MOVE("no-duplicate-on-graceful-move"),
  BASE_AND_STREAM_WITHOUT_GAP("base-and-stream-without-gap"),
  ENDED_MEANS_COMPLETE("ended-means-complete"),
  NOTHING_AFTER_REVOCATION_COUNTS("nothing-after-revocation-counts"),
  CREDIT_CONSERVED("credit-conserved"),
  LIVENESS("liveness"),
  WAITS_FOR_PARENTS("waits-for-parents"),
  COMMIT_TIME_RISES("commit-time-rises"),
  KEPT_AS_PROMISED("kept-as-promised"),
  DROPPED_IS_GONE("dropped-is-gone"),
  POSITIONS_STAY("positions-stay"),
  READS_ARE_FRESH("reads-are-fresh"),
  CONDITIONS_HOLD("conditions-hold"),
  APPLIED_ONCE("applied-once"),
  ORDER_PER_CLIENT("order-per-client"),
  OUTCOMES_HOLD("outcomes-hold"),
  ONLY_DOUBTED_IN_DOUBT("only-doubted-in-doubt"),
  NUMBERS_RISE("numbers-rise"),
  CHOSEN_NUMBERS_RISE("chosen-numbers-rise"),
  CHOSEN_NUMBERS_ARE_TOLD("chosen-numbers-are-told"),
  SUMS_HOLD("sums-hold"),
  RETURNS_HOLD("returns-hold"),
  BATCHES_ARE_WHOLE("batches-are-whole"),
  EXPIRES_ONCE("expires-once"),
  SWEPT_AT_PACE("swept-at-pace"),
  BOUND_ROWS_GO("bound-rows-go"),
  CLOSED_MEANS_GONE("closed-means-gone"),
  ONE_LOCK_OWNER("one-lock-owner"),
  WATCHES_MATCH("watches-match"),
  IDS_STAY_UNIQUE("ids-stay-unique"),
  RESTORED_AS_BACKED_UP("restored-as-backed-up"),
  RIGHTS_HOLD("rights-hold"),
  QUOTAS_HOLD("quotas-hold"),
  LEVEL_HOLDS("level-holds"),
  NOTHING_LEAKS("nothing-leaks"),
  NOTHING_BREAKS("nothing-breaks");

  private final String text;

  Invariant(String text) {
    this.text = text;
  }

  /** Throws with that message unless it holds. */
  @FormatMethod
  public void require(boolean holds, String format, Object... args) {
    if (!holds) {
      throw broken(format, args);
    }
  }

  @FormatMethod
  public Broken broken(String format, Object... args) {
    return new Broken(this, String.format(format, args));
  }

  @Override
  public String toString() {
    return text;
  }

  /** Something that must hold does not. */
  public static final class Broken extends AssertionError {
    private static final long serialVersionUID = 1;
    private final Invariant invariant;

    Broken(Invariant invariant, String message) {
      super(invariant + ": " + message);
      this.invariant = invariant;
    }

    /** What is broken. */
    public Invariant invariant() {
      return invariant;
    }
  }
}
