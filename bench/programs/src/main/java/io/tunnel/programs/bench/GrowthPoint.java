package io.tunnel.programs.bench;

/**
 * What was measured at one value; NaN what was not. Costs are microseconds of CPU time for a row,
 * which is the same number as seconds for a million rows.
 *
 * @param value of what was changed
 * @param writeRowsPerSecond until the last row was acknowledged
 * @param writeServerCpu for a row written, what the server put off included
 * @param readRowsPerSecond of all tunnels together
 * @param readServerCpu for a row delivered; of a server that is also written to, writing included
 * @param readClientCpu for a row delivered, of the workers
 */
record GrowthPoint(
    long value,
    double writeRowsPerSecond,
    double writeServerCpu,
    double readRowsPerSecond,
    double readServerCpu,
    double readClientCpu) {}
