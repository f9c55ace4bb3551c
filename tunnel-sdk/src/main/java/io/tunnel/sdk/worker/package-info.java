/**
 * Runs processors on the channels of a tunnel. Internal to the SDK: may change in any version.
 *
 * <p>The worker's thread owns the state of the worker, of its session and of its channels.
 * Connections call back on this thread; processor threads post their outcomes to the worker's
 * thread. There are no locks. Time, threads, sockets and chance come through {@link
 * io.tunnel.sdk.worker.WorkerPorts}.
 *
 * <p>A worker ({@link io.tunnel.sdk.worker.WorkerLoop}) opens one session after the other. A
 * session holds channels. Each channel has a runner, with a core that decides, a feed that receives
 * deliveries, and a run for its current input. {@code ChannelTurns} decides which channel opens,
 * and how many bytes each channel may prefetch.
 */
package io.tunnel.sdk.worker;
