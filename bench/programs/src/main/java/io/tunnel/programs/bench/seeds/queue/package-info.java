/**
 * Queues and topics under load, for {@code tunnel bench seeds}. {@link
 * io.tunnel.programs.bench.seeds.queue.MessageCase} is a load as data, {@link
 * io.tunnel.programs.bench.seeds.queue.MessageLoad} runs it over {@link
 * io.tunnel.programs.bench.seeds.queue.Messages}, which this service and a broker implement. A load
 * runs in a process of its own: {@link io.tunnel.programs.bench.seeds.queue.LoadProgram} is that
 * process, {@link io.tunnel.programs.bench.seeds.queue.LoadProcess} its parent's side.
 */
package io.tunnel.programs.bench.seeds.queue;
