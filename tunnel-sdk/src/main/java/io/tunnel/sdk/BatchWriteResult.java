package io.tunnel.sdk;

import java.util.List;

/**
 * The outcomes of the rows of one {@link TableClient#tryWrite}, or their positions after one {@link
 * TableClient#write}.
 *
 * @param results one result per row, in the order of the rows
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

  /** How many rows have this outcome. */
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
