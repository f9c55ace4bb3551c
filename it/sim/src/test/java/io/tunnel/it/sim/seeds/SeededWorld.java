package io.tunnel.it.sim.seeds;

import io.tunnel.it.sim.Trace;
import java.util.Map;

/**
 * The world of one seed, from its beginning to the moment at which everything must have come true.
 *
 * @param <E> what can happen in it
 */
public interface SeededWorld<E> {

  /** Lets it happen; throws when something is broken. */
  void run();

  /** How often each thing has happened. */
  Map<E, Long> happened();

  /** What has happened, line by line. */
  Trace trace();

  /** How everything stands, as text. */
  String dump();
}
