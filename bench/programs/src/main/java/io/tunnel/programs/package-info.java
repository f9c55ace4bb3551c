/**
 * The commands {@code ./tunnel demo}, {@code bench} and {@code torture}: programs that start
 * servers of their own, and show, measure or attack them. The launcher finds each as an {@link
 * io.tunnel.cli.Program}.
 */
package io.tunnel.programs;
