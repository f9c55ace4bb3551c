/**
 * Sessions and the channels that they hold. Leases, assignment, hand-over and checkpoints of a
 * tunnel are one pure state machine, {@link io.tunnel.core.TunnelCore}. {@link
 * io.tunnel.server.session.Coordinator} runs the state machines of all tunnels on the control
 * thread.
 */
package io.tunnel.server.session;
