package io.tunnel.cli.torture.hostile;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import io.tunnel.cli.torture.SystemProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The process of the {@link AttackProgram}. Where the system can, it has the lowest priority and a
 * single processor: attackers come from other machines, and what they take of this one would be
 * missed by the server and by the ordinary client, and be measured as if the server had lost it.
 */
final class Attackers implements AutoCloseable {

  private static final Gson GSON = new Gson();
  private static final List<String> LAST_TO_RUN = List.of("nice", "-n", "19");
  private static final String PINNED = "taskset";

  private final Process process;
  private final BufferedReader answers;
  private final Writer orders;
  private final String place;

  private Attackers(Process process, String place) {
    this.process = process;
    this.place = place;
    answers = process.inputReader(StandardCharsets.UTF_8);
    orders = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** Starts it; it does nothing yet. */
  static Attackers start(Scene scene) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    boolean isLast = works(LAST_TO_RUN);
    if (isLast) {
      command.addAll(LAST_TO_RUN);
    }
    List<String> pinned = List.of(PINNED, "-c", String.valueOf(processors() - 1));
    boolean isPinned = processors() > 1 && works(pinned);
    if (isPinned) {
      command.addAll(pinned);
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(AttackProgram.class.getName());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Attackers attackers = new Attackers(process, place(isLast, isPinned));
    attackers.tell(GSON.toJson(AttackProgram.Orders.of(scene)));
    return attackers;
  }

  private static int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  private static String place(boolean isLast, boolean isPinned) {
    return (isPinned ? "on one of " + processors() + " processors" : "on all processors")
        + (isLast ? ", with the lowest priority" : ", with the priority of all others");
  }

  private static boolean works(List<String> prefix) throws InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.add("true");
    try {
      SystemProgram.run(command.toArray(String[]::new));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Where they run, and how. */
  String place() {
    return place;
  }

  private void tell(String line) throws IOException {
    orders.write(line + "\n");
    orders.flush();
  }

  /** They attack from now on. */
  void attack(AttackProgram.Wave wave) throws IOException {
    tell(GSON.toJson(wave));
  }

  /** They rest; returns when all have heard of it, with what they did. */
  AttackProgram.Counts rest() throws IOException {
    tell(AttackProgram.REST);
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the attackers have ended");
    }
    try {
      return GSON.fromJson(line, AttackProgram.Counts.class);
    } catch (JsonSyntaxException e) {
      throw new IOException("the attackers said '" + line + "'", e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
