/**
 * Rights that change while a world runs: who changes them, and what must hold of those who had
 * them.
 */
package io.tunnel.it.sim.rights;
