/**
 * The audit log: requests with their clients, as lines of JSON in files of the data directory.
 * {@link io.tunnel.server.net.audit.AuditTrail} takes entries from any thread without waiting, and
 * one thread writes them: lines that cannot be written are counted, and delay no request.
 */
package io.tunnel.server.net.audit;
