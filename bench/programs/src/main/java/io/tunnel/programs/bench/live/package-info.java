/**
 * Writing and reading that goes on while somebody looks: a paced writer, readers that know every
 * row by its ordinal, the times of rows between the two, and what a server holds meanwhile.
 */
package io.tunnel.programs.bench.live;
