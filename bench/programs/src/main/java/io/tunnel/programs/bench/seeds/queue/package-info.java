/**
 * Queues and topics under load, for {@code tunnel bench seeds}. {@link
 * io.tunnel.programs.bench.seeds.queue.MessageCase} is a load as data, {@link
 * io.tunnel.programs.bench.seeds.queue.MessageLoad} runs it over {@link
 * io.tunnel.programs.bench.seeds.queue.Messages}, which this service and a broker implement.
 */
package io.tunnel.programs.bench.seeds.queue;
