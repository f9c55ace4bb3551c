package io.tunnel.programs.torture.hostile;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import io.tunnel.programs.torture.LastInTurn;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The process of the {@link AttackProgram}, as a rule {@linkplain LastInTurn last in turn}:
 * attackers come from other machines.
 */
final class Attackers implements AutoCloseable {

  private static final Gson GSON = new Gson();

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
  static Attackers start(Scene scene, LastInTurn lastInTurn) throws IOException {
    List<String> command = new ArrayList<>(lastInTurn.launcher());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(AttackProgram.class.getName());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Attackers attackers = new Attackers(process, lastInTurn.place());
    attackers.tell(GSON.toJson(AttackProgram.Orders.of(scene)));
    return attackers;
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

  /** Ends the wave; returns its counts when all attackers rest. */
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
