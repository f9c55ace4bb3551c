/** {@code tunnel cluster} and {@code tunnel health}: the nodes, and whether one is well. */
package io.tunnel.cli.cluster;
