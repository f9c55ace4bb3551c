package io.tunnel.programs.bench.seeds;

import java.util.List;

/**
 * What came of one workload.
 *
 * @param workload as the file has it
 * @param peer the name of the peer, as people read it
 * @param rows by operation, then in the order in which they were measured
 * @param leftOut cases that the time was too short for
 * @param remarks what people have to know
 */
record SeedsResult(
    Workload workload, String peer, List<SeedRow> rows, int leftOut, List<String> remarks) {

  /** Takes copies. */
  SeedsResult {
    rows = List.copyOf(rows);
    remarks = List.copyOf(remarks);
  }

  /** The rows of one operation. */
  List<SeedRow> rows(String operation) {
    return rows.stream().filter(row -> row.operation().equals(operation)).toList();
  }
}
