/**
 * The changes of partitions as channels, sessions and tunnels see them, in a server's own log and
 * in a shared log alike. {@link io.tunnel.server.changes.ChangeReader} reads changes and reports
 * new ones, {@link io.tunnel.server.changes.LogFigures} tells figures without asking another
 * process, {@link io.tunnel.server.changes.LogBounds} looks at {@link
 * io.tunnel.server.changes.Bounds} and times for decisions, and {@link
 * io.tunnel.server.changes.IncarnationHistory} tells which positions were given again after a loss.
 */
package io.tunnel.server.changes;
