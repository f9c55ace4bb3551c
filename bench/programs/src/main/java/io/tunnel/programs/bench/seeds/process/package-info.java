/**
 * Loads in processes of their own, for {@code tunnel bench seeds}. {@link
 * io.tunnel.programs.bench.seeds.process.LoadProgram} is such a process, {@link
 * io.tunnel.programs.bench.seeds.process.LoadProcess} its parent's side; both exchange {@link
 * io.tunnel.programs.bench.seeds.process.LoadLine}s. {@link
 * io.tunnel.programs.bench.seeds.process.LoadPeer} is another system's servers and the load for
 * them.
 */
package io.tunnel.programs.bench.seeds.process;
