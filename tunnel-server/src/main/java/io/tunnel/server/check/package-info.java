/**
 * A data directory as it lies on the disk, while no server uses it: what is wrong with it, in the
 * words of an operator, and what can be made again from the log. {@link
 * io.tunnel.server.check.DirectoryCheck} only reads; {@link io.tunnel.server.check.Repair} moves
 * files aside and never deletes one.
 */
package io.tunnel.server.check;
