package io.tunnel.programs.bench;

import io.tunnel.programs.bench.live.ServerProbe;

/**
 * One look at a running soak.
 *
 * @param seconds since it began
 * @param writeRowsPerSecond acknowledged since the look before
 * @param readRowsPerSecond delivered to the tunnel that follows, since the look before
 * @param backlogRowsPerSecond delivered to the tunnel that drains the backlog, since the look
 *     before
 * @param writeP99Ms from due to acknowledged; NaN when no row was timed
 * @param latencyP99Ms from acknowledged to the callback; NaN when no row was timed
 * @param cpuPercent CPU time of the server since the look before, in percent of one core
 * @param networkBytesPerSecond carried by this machine's loopback since the look before, of all
 *     programs; NaN where the system does not say
 * @param holding what the server holds
 */
record SoakSample(
    double seconds,
    double writeRowsPerSecond,
    double readRowsPerSecond,
    double backlogRowsPerSecond,
    double writeP99Ms,
    double latencyP99Ms,
    double cpuPercent,
    double networkBytesPerSecond,
    ServerProbe.Holding holding) {}
