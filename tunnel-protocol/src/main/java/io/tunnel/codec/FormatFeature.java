package io.tunnel.codec;

import io.tunnel.model.Level;
import java.util.Optional;

/**
 * What may be added to a format: the number of each attribute, its name and its level. The numbers
 * of a place are never used again for something else. An odd number must be understood by each
 * reader; readers may skip an even one.
 *
 * <p>A feature whose level is above {@link Level#OWN} has its number reserved here, and this build
 * refuses it by name.
 */
public enum FormatFeature {
  /** A condition on columns, on its way to the server that evaluates it; no log has one. */
  CONDITION(Place.ROW, 1, "condition", 1),
  /** Columns to be added to, on their way to the server that adds; no log has them. */
  INCREMENT(Place.ROW, 3, "increment", 1),
  /** The row expires at this time and not at the time of the table. */
  ROW_EXPIRY(Place.ROW, 5, "expiry", 3),
  /** What the result of the change returns of the row; no log has it. */
  RETURNING(Place.ROW, 7, "returning", 2),
  /** The server chooses the number of the row's key, on the way to the server; no log has one. */
  AUTO(Place.ROW, 9, "auto", 2),
  /** The row before the change. */
  BEFORE_IMAGE(Place.ROW, 2, "before-image", 3),
  /**
   * Why the server writes the DELETE: without bytes because the row has expired, with one byte 1
   * because the session of the row has ended.
   */
  CAUSE(Place.ROW, 4, "cause", 2),
  /** What an increment added to columns that the change sets to the results. */
  DELTA(Place.ROW, 6, "delta", 1),
  /** The record is the first of a writer's batch; says who wrote the batch under which number. */
  WRITTEN_BATCH(Place.ROW, 8, "written", 2),
  /** The row lives as long as a session, a {@code u64}. */
  BOUND(Place.ROW, 10, "bound", 2),
  /** A writer's id and its number of the batch, on the way to the server; no log has one. */
  WRITER(Place.BATCH, 1, "writer", 2),
  /** The answers to idempotent writes, in batches without rows; in a log alone. */
  WRITTEN(Place.BATCH, 2, "written", 2),
  /** The record of a shared log that has the batches before this one; in a node's own log alone. */
  RECORD_PLACE(Place.BATCH, 4, "record-place", 2),
  /** All rows of the batch are applied, or none. */
  ATOMIC(Place.BATCH, 3, "atomic", 2),
  /** Proves that the writer has the session of the bound rows of the batch; no log has one. */
  SESSION(Place.BATCH, 5, "session", 2),
  /** The row expires at this time and not at the time of the table. */
  STORED_EXPIRY(Place.STORED_ROW, 1, "expiry", 3),
  /** A filter on what the holder is delivered. */
  FILTER(Place.GRANT, 1, "filter", 3),
  /** Says nothing: tests of an upgrade write the attribute; each reader must understand it. */
  TRIAL(Place.ROW, FormatFeature.TRIAL_NUMBER_MIN + 1, "trial", Level.OWN + 1),
  /** Says nothing: tests of an upgrade write the attribute; readers may skip it. */
  TRIAL_NOTE(Place.ROW, FormatFeature.TRIAL_NUMBER_MIN, "trial-note", Level.OWN + 1),
  /** Limits nothing: a term of a grant for tests of an upgrade. */
  TRIAL_TERM(Place.GRANT, FormatFeature.TRIAL_NUMBER_MIN + 1, "trial-term", Level.OWN + 1);

  /**
   * Attributes from this number on are for tests of an upgrade. A build knows them only when {@link
   * Level#TRIAL_PROPERTY} gives the build a level of no release.
   */
  private static final int TRIAL_NUMBER_MIN = 16_382;

  private static final FormatFeature[] FEATURES = values();

  private final Place place;
  private final int number;
  private final String label;
  private final int level;

  /** Where an attribute stands. */
  public enum Place {
    /** A batch. */
    BATCH("a batch"),
    /** A row of a batch, and the record of the shared log that carries it. */
    ROW("a row"),
    /** A part of a stored row. */
    STORED_ROW("a stored row"),
    /** The terms of a grant. */
    GRANT("a grant"),
    /** A record of a shared log of appends. */
    RECORD("a record of the shared log"),
    /** A block of a snapshot of a partition. */
    SNAPSHOT_BLOCK("a block of a snapshot");

    private final String label;

    Place(String label) {
      this.label = label;
    }

    /** For messages: "a row". */
    public String label() {
      return label;
    }
  }

  FormatFeature(Place place, int number, String label, int level) {
    this.place = place;
    this.number = number;
    this.label = label;
    this.level = level;
  }

  /** Where the attribute stands. */
  public Place place() {
    return place;
  }

  /** The attribute's number in its place. */
  public int number() {
    return number;
  }

  /** The name in messages and in the member {@code needs} of the catalog. */
  public String label() {
    return label;
  }

  /** The level from which on a cluster may use the feature. */
  public int level() {
    return level;
  }

  /** Whether this build knows what the attribute means. */
  public boolean isKnown() {
    return level <= (number >= TRIAL_NUMBER_MIN ? Level.NEWEST : Math.min(Level.NEWEST, Level.OWN));
  }

  /** Whether a reader that does not know the attribute must refuse what carries it. */
  public static boolean mustBeUnderstood(int number) {
    return (number & 1) == 1;
  }

  /** The feature with that number, reserved or known. */
  public static Optional<FormatFeature> of(Place place, int number) {
    for (FormatFeature feature : FEATURES) {
      if (feature.place == place && feature.number == number) {
        return Optional.of(feature);
      }
    }
    return Optional.empty();
  }

  /** Whether this build knows a feature of that name. */
  public static boolean isKnown(String label) {
    for (FormatFeature feature : FEATURES) {
      if (feature.label.equals(label) && feature.isKnown()) {
        return true;
      }
    }
    return false;
  }

  /** The one of two features that has the higher level; empty without features. */
  static Optional<FormatFeature> newest(
      Optional<FormatFeature> one, Optional<FormatFeature> other) {
    return one.isPresent() && (other.isEmpty() || other.get().level <= one.get().level)
        ? one
        : other;
  }

  /** For messages: "attribute 3 (increment) of a row". */
  static String describe(Place place, int number) {
    String name = of(place, number).map(feature -> " (" + feature.label + ")").orElse("");
    return "attribute " + number + name + " of " + place.label();
  }
}
