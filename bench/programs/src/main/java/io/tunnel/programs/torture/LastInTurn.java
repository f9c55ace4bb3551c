package io.tunnel.programs.torture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * How to start a program that plays clients on other machines: where the system can, with the
 * lowest priority and on a single processor. Otherwise the measured programs would miss the CPU
 * time that this program takes.
 *
 * @param launcher the start of the command; empty where the system has no such launcher
 * @param place where it runs, and how, for people
 */
public record LastInTurn(List<String> launcher, String place) {

  private static final List<String> LOWEST = List.of("nice", "-n", "19");

  /** The program takes its turn like every other. */
  public static LastInTurn equal() {
    return of(List.of(), false, false);
  }

  /** What this system can. */
  public static LastInTurn here() throws InterruptedException {
    int processors = Runtime.getRuntime().availableProcessors();
    List<String> launcher = new ArrayList<>();
    boolean isLowest = works(LOWEST);
    if (isLowest) {
      launcher.addAll(LOWEST);
    }
    List<String> pinned = List.of("taskset", "-c", String.valueOf(processors - 1));
    boolean isPinned = processors > 1 && works(pinned);
    if (isPinned) {
      launcher.addAll(pinned);
    }
    return of(launcher, isPinned, isLowest);
  }

  private static LastInTurn of(List<String> launcher, boolean isPinned, boolean isLowest) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new LastInTurn(
        List.copyOf(launcher),
        (isPinned ? "on one of " + processors + " processors" : "on all processors")
            + (isLowest ? ", with the lowest priority" : ", with the priority of all others"));
  }

  private static boolean works(List<String> launcher) throws InterruptedException {
    List<String> command = new ArrayList<>(launcher);
    command.add("true");
    try {
      SystemProgram.run(command.toArray(String[]::new));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
