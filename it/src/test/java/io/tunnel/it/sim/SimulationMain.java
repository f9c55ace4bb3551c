package io.tunnel.it.sim;

/** Runs seeds from the command line: how many, from which, or one with everything it does. */
public final class SimulationMain {

  private SimulationMain() {}

  /** {@code FIRST COUNT}, or {@code SEED} to replay one. */
  public static void main(String[] args) {
    long first = Long.parseLong(args[0]);
    if (args.length == 1) {
      Simulation simulation = new Simulation(first, System.out::println);
      simulation.run();
      System.out.println("hash " + simulation.world.trace.hash());
      return;
    }
    long begun = System.nanoTime();
    java.util.Map<Happening, Long> all = new java.util.EnumMap<>(Happening.class);
    long events = 0;
    for (long seed = first; seed < first + Long.parseLong(args[1]); seed++) {
      Simulation simulation = new Simulation(seed, line -> {});
      try {
        simulation.run();
      } catch (Throwable e) {
        System.out.println("seed " + seed);
        simulation.world.trace.lastLines().forEach(System.out::println);
        e.printStackTrace(System.out);
        return;
      }
      events += simulation.world.agenda.done();
      simulation.world.happened.forEach((k, v) -> all.merge(k, v, Long::sum));
    }
    System.out.println(all);
    for (Happening h : Happening.values()) if (!all.containsKey(h)) System.out.println("never " + h);
    System.out.println(events + " events in " + (System.nanoTime() - begun) / 1_000_000 + " ms");
  }
}
