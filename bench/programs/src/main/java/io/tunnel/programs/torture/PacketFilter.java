package io.tunnel.programs.torture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Drops packets of loopback by their ports, so that a connection passes bytes in one direction
 * only. TCP sends dropped packets again, so all bytes arrive late, after {@link #resume}.
 */
final class PacketFilter implements AutoCloseable {

  private final List<List<String>> rules = new ArrayList<>();

  /** Why this machine cannot drop packets; empty when it can. */
  static Optional<String> lack() {
    if (!System.getProperty("user.name").equals("root")) {
      return Optional.of("only root may drop packets");
    }
    return SystemProgram.exists("iptables")
        ? Optional.empty()
        : Optional.of("there is no iptables");
  }

  /** What is sent to these ports does not arrive. */
  void dropRequests(List<Integer> ports) throws IOException, InterruptedException {
    drop("--dport", ports);
  }

  /** What is answered from these ports does not arrive. */
  void dropAnswers(List<Integer> ports) throws IOException, InterruptedException {
    drop("--sport", ports);
  }

  private synchronized void drop(String side, List<Integer> ports)
      throws IOException, InterruptedException {
    for (int port : ports) {
      List<String> rule = List.of("OUTPUT", "-o", "lo", "-p", "tcp", side, "" + port, "-j", "DROP");
      run("-A", rule);
      rules.add(rule);
    }
  }

  private static void run(String action, List<String> rule)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("iptables", "-w", action));
    command.addAll(rule);
    SystemProgram.run(command.toArray(String[]::new));
  }

  /** Everything passes again. */
  synchronized void resume() throws IOException, InterruptedException {
    while (!rules.isEmpty()) {
      run("-D", rules.get(rules.size() - 1));
      rules.remove(rules.size() - 1);
    }
  }

  @Override
  public void close() {
    try {
      resume();
    } catch (IOException e) {
      System.err.println("tunnel torture: packets are still dropped: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
