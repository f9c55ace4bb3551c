/**
 * The JSON payloads of requests, answers and pushes. Rows, batches and short frames about one
 * channel are binary, in {@link io.tunnel.wire}. A payload is a record; its components are the
 * members of the JSON object.
 */
package io.tunnel.wire.control;
