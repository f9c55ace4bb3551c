/**
 * Publishers and subscribers under load, for {@code tunnel bench seeds}. {@link
 * io.tunnel.programs.bench.seeds.publish.PublishCase} is a load as data, {@link
 * io.tunnel.programs.bench.seeds.publish.PublishLoad} runs it over {@link
 * io.tunnel.programs.bench.seeds.publish.Publishing}, which this service and another one implement.
 */
package io.tunnel.programs.bench.seeds.publish;
