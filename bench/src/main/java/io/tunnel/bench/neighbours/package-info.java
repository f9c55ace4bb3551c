/**
 * What somebody loses whose neighbour, another principal of a closed server, takes a lot: the
 * program is {@link io.tunnel.bench.neighbours.NeighboursMain}.
 */
package io.tunnel.bench.neighbours;
