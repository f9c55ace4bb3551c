package io.tunnel.cli;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a demo runs.
 *
 * @param table the table that it makes
 * @param server the running server to use; empty to start one
 * @param data where the server that is started keeps its data; empty for a temporary directory
 * @param isKeeping whether data and table stay when it is over
 */
record DemoPlan(
    String table,
    int partitions,
    int workers,
    Optional<String> server,
    Optional<Path> data,
    boolean isKeeping) {}
