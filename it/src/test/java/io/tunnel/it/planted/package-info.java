/**
 * Bugs that are planted to see whether the tests find them.
 *
 * <p>A planted bug is a patch of {@code it/src/test/planted} whose first lines say what a user
 * would lose and who has to notice: {@code Judge: test MODULE CLASS[#METHOD]}, {@code Judge: sim
 * SEED} or {@code Judge: cluster SEED}. {@link io.tunnel.it.planted.PlantedMain} compiles the
 * patched files over the classes of the build and runs each judge in a process of its own; a bug is
 * found when a judge fails.
 */
package io.tunnel.it.planted;
