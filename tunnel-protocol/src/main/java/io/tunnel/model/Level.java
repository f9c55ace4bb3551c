package io.tunnel.model;

/**
 * Levels: whole numbers from 1 that order the features of all builds. A cluster, or the data
 * directory of a single server, has one level. A build has a highest level, and serves every level
 * up to that one.
 */
public final class Level {

  /** The level of release 0.1.0, and of all that says no level. */
  public static final int FIRST = 1;

  /** The highest level whose features this build has. */
  public static final int OWN = 2;

  /** The highest level that can be named. */
  public static final int NUMBER_MAX = 1_000_000;

  /**
   * The system property by which tests, and no other program, give a build another highest level
   * than its own. A server at a higher level writes forms of no release.
   */
  public static final String TRIAL_PROPERTY = "tunnel.trial.level";

  /** The highest level that this build serves: {@link #OWN}, but for tests. */
  public static final int NEWEST =
      require("the system property " + TRIAL_PROPERTY, Integer.getInteger(TRIAL_PROPERTY, OWN));

  private Level() {}

  /**
   * The error of a build below a level, which says what to do.
   *
   * @param whose whose level it is, such as {@code cluster 'tunnel'}
   * @param level the level that was found
   * @param levelMax the highest level that the build serves
   */
  public static String below(String whose, int level, int levelMax) {
    return whose
        + " has level "
        + level
        + ", and this build serves level "
        + levelMax
        + " at most. Start the build that raised the level, or a newer one. To go back for good,"
        + " export the rows with that build, and import them into a new directory or cluster";
  }

  /**
   * Refuses a number that is no level.
   *
   * @throws IllegalArgumentException names {@code what} and the valid numbers
   */
  public static int require(String what, int level) {
    if (level < FIRST || level > NUMBER_MAX) {
      throw new IllegalArgumentException(
          what + " is a level from " + FIRST + " to " + NUMBER_MAX + ", not " + level);
    }
    return level;
  }
}
