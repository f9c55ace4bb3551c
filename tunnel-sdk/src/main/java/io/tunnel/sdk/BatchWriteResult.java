package io.tunnel.sdk;

import java.util.List;

/**
 * What became of the rows of one {@link TableClient#tryWrite}; of one {@link TableClient#write},
 * where they came to stand.
 *
 * @param results one per row, in the order given
 */
public record BatchWriteResult(List<RowResult> results) {

  /** Copies the list. */
  public BatchWriteResult {
    results = List.copyOf(results);
  }

  /** Whether every row was applied. */
  public boolean allApplied() {
    for (RowResult result : results) {
      if (!result.isApplied()) {
        return false;
      }
    }
    return true;
  }

  /** How many rows ended so. */
  public int count(RowResult.Outcome outcome) {
    int count = 0;
    for (RowResult result : results) {
      if (result.outcome() == outcome) {
        count++;
      }
    }
    return count;
  }
}
