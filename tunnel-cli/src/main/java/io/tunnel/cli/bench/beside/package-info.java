/**
 * Our service beside another in one run, in turns: {@link io.tunnel.cli.bench.beside.SideBySide}
 * measures whatever is a {@link io.tunnel.cli.bench.peer.Peer}, {@link
 * io.tunnel.cli.bench.beside.Ceiling} what the machine itself would carry, and {@link
 * io.tunnel.cli.bench.beside.PeersReport} holds one against the other.
 */
package io.tunnel.cli.bench.beside;
