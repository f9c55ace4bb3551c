/**
 * Running processors on the channels of a tunnel. Internal to the SDK: may change in any version.
 *
 * <p>All state of a worker, its session and its channels belongs to one thread, on which its
 * connection speaks too; the threads that call processors post back to it. Nothing is locked, and
 * all that is of the world comes through {@link io.tunnel.sdk.worker.WorkerPorts}.
 */
package io.tunnel.sdk.worker;
