/**
 * What {@code tunnel bench peers} measures, where that command does not reach: {@code
 * SideBySideMain} puts clusters of several nodes beside one server and Apache Kafka, or lets both
 * sides speak TLS. {@code docs/internals/notes/beside-kafka.md} has the commands and the results.
 *
 * <p>The rounds are those of {@link io.tunnel.programs.bench.beside.SideBySide}.
 */
package io.tunnel.bench.peers;
