/**
 * What must hold: what was committed, stored and given to processors, beside what frames and
 * answers say.
 */
package io.tunnel.it.sim.truth;
