/**
 * Who asked for what, as lines of JSON in files of the data directory. {@link
 * io.tunnel.server.net.audit.AuditTrail} takes entries from any thread without waiting, and one
 * thread writes them: what cannot be written is counted, and holds up nobody.
 */
package io.tunnel.server.net.audit;
