package io.tunnel.it.sim.seeds;

/** Something that must happen in a part of all worlds. */
public interface Floored {

  /** In which part at least, in percent. */
  double percentMin();
}
