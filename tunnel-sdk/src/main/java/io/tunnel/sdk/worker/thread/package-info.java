/**
 * Where a worker's code runs: the threads that call processors, and tasks that return to the
 * worker's loop.
 */
package io.tunnel.sdk.worker.thread;
