/**
 * Requests that this server makes for a principal: {@link io.tunnel.server.forward.Forwarding}
 * sends each to the node that can answer, over an ordinary connection of the native protocol. The
 * answering node checks rights, quotas and limits of the principal and audits the request, as for
 * every client. This room knows no SDK, and repeats no request.
 */
package io.tunnel.server.forward;
