/**
 * The changes of partitions as those see them who read them: channels, sessions and tunnels, which
 * know no log. {@link io.tunnel.server.changes.ChangeReader} reads them and tells of new ones,
 * {@link io.tunnel.server.changes.Bounds} says where they begin and end, and {@link
 * io.tunnel.server.changes.IncarnationHistory} which of their positions were given again after a
 * loss. The log of one server and a log that many nodes share both are changes.
 */
package io.tunnel.server.changes;
