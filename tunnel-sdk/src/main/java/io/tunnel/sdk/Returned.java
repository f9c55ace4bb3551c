package io.tunnel.sdk;

import io.tunnel.model.Row;
import java.util.Objects;
import java.util.Optional;

/**
 * What a row of a write returns beside its outcome, when its change {@linkplain
 * io.tunnel.model.RowChange#returning asks}.
 *
 * @param kind what is returned
 * @param row the key and the columns that were asked for and that the row has, with {@link
 *     Kind#ROW}; otherwise empty
 */
public record Returned(Kind kind, Optional<Row> row) {

  /** What every row returns that asks for nothing. */
  public static final Returned NOTHING = new Returned(Kind.NOTHING, Optional.empty());

  /** What is returned. */
  public enum Kind {
    /**
     * Nothing: the change asked for nothing, was not judged, or was refused because of something
     * else than what its row holds.
     */
    NOTHING,
    /** The row: as the change left it, or as it is when the change was refused. */
    ROW,
    /** There is no row: the change has removed the row, or was refused because there was none. */
    ABSENT,
    /**
     * The first answer was lost, and was too large to be kept. The outcome is that of the first
     * answer; the columns that the row has now may be others.
     */
    NOT_KEPT,
    /** The columns had no room in the answer, which returns 1 MiB for all rows of a batch. */
    TOO_LARGE
  }

  /** Refuses a row that is not returned, and null. */
  public Returned {
    Objects.requireNonNull(kind, "kind");
    if (row.isPresent() != (kind == Kind.ROW)) {
      throw new IllegalArgumentException(kind + " with " + row);
    }
  }
}
