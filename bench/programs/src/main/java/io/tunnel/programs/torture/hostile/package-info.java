/**
 * {@code tunnel torture --hostile}: everything that a stranger, and a principal without rights, can
 * try against a closed server, while an ordinary client works.
 *
 * <p>{@link io.tunnel.programs.torture.hostile.Attack} is the list of what is tried, each from a
 * seed; {@link io.tunnel.programs.torture.hostile.Scene} is whom it is tried on. Nothing else than
 * the loopback address is ever connected to.
 */
package io.tunnel.programs.torture.hostile;
