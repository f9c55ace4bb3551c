/**
 * Sessions and the channels that they hold. Leases, assignment, hand-over and checkpoints of a
 * tunnel are one pure state machine, {@link io.tunnel.server.session.TunnelCore}; {@link
 * io.tunnel.server.session.Coordinator} runs them all on the control thread.
 */
package io.tunnel.server.session;
