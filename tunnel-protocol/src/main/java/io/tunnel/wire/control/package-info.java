/**
 * Payloads of requests, answers and pushes that are JSON: all but rows, their batches, and what is
 * said of one channel in a few bytes, which {@link io.tunnel.wire} has. A payload is a record; its
 * components are the members of the object, by their names.
 */
package io.tunnel.wire.control;
