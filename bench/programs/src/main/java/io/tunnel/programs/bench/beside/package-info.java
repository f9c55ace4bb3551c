/**
 * Our service beside another in one run, in turns: {@link
 * io.tunnel.programs.bench.beside.SideBySide} measures whatever is a {@link
 * io.tunnel.programs.bench.peer.Peer}, {@link io.tunnel.programs.bench.beside.Ceiling} what the
 * machine itself would carry, and {@link io.tunnel.programs.bench.beside.PeersReport} holds one
 * against the other.
 */
package io.tunnel.programs.bench.beside;
