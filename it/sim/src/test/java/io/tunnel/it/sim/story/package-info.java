/** The driver that a script moves: a world step by step, as lines of text or as a test. */
package io.tunnel.it.sim.story;
