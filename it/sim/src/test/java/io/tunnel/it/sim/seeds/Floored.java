package io.tunnel.it.sim.seeds;

/** An event that must happen in a share of all worlds. */
public interface Floored {

  /** In which part at least, in percent. */
  double percentMin();
}
