/**
 * The threads of a worker and its connections: threads that call processors, tasks in order, and
 * links to nodes.
 */
package io.tunnel.sdk.worker.thread;
