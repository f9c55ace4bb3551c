package io.tunnel.server.replica.lead;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.List;

/**
 * What became of the rows of a batch whose beginning counts in the shared log. The first rows are
 * settled: applied, or rejected for good. From the first accepted row that is not applied, or that
 * was not judged, all rows are to be sent again: the rejection of a later row may follow from it.
 *
 * @param count how many rows are settled
 * @param applied how many of these rows are applied
 * @param rejections of the settled rows as they were judged, and of all others {@code NOT_LEADER}
 */
record SettledRows(int count, int applied, List<Rejection> rejections) {

  /**
   * Settles the rows of a batch.
   *
   * @param rejected judged rows that are not applied, in their order
   * @param judged how many rows were judged, the first ones
   * @param appliedMax how many accepted rows count
   * @param rows how many rows the batch has
   */
  static SettledRows of(List<Rejection> rejected, int judged, int appliedMax, int rows) {
    List<Rejection> all = new ArrayList<>();
    int row = 0;
    for (; row < judged; row++) {
      if (all.size() < rejected.size() && rejected.get(all.size()).rowIndex() == row) {
        all.add(rejected.get(all.size()));
      } else if (row - all.size() == appliedMax) {
        break;
      }
    }
    int applied = row - all.size();
    int count = row;
    for (; row < rows; row++) {
      all.add(new Rejection(row, ErrorCode.NOT_LEADER));
    }
    return new SettledRows(count, applied, all);
  }

  /** What the settled rows return. */
  List<ReturnedRow> returned(List<ReturnedRow> ofJudged) {
    return ofJudged.stream().filter(row -> row.rowIndex() < count).toList();
  }
}
