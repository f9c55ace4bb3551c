/**
 * Running processors on the channels of a tunnel. Internal to the SDK: may change in any version.
 *
 * <p>All state of a worker, its session and its channels belongs to one event loop, on which its
 * connection lives too; the threads that call processors post back to it. Nothing is locked.
 */
package io.tunnel.sdk.worker;
