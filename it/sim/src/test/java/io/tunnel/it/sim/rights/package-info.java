/**
 * Rights that change while a world runs: the administrator, and the invariants about clients that
 * had rights.
 */
package io.tunnel.it.sim.rights;
