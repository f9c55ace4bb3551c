package io.tunnel.programs.bench.seeds.queue;

import java.util.OptionalDouble;

/**
 * What came of a case.
 *
 * @param sentPerSecond messages that all senders sent in a measured second
 * @param receivedPerSecond messages received in a measured second; each copy counts
 * @param cpuPercent of one core, of the server's process
 * @param diskMibPerSecond that the server's process wrote
 * @param p50Ms from the beginning of a send to the receipt; empty when nothing came
 * @param p99Ms as {@code p50Ms}
 * @param sent all messages, also those of the warm-up
 * @param received all copies
 */
public record QueueFigures(
    double sentPerSecond,
    double receivedPerSecond,
    OptionalDouble cpuPercent,
    OptionalDouble diskMibPerSecond,
    OptionalDouble p50Ms,
    OptionalDouble p99Ms,
    long sent,
    long received) {}
