package io.tunnel.programs.torture.hostile;

import com.google.gson.Gson;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.Secret;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/**
 * The attackers, as a child process that follows its standard input, and ends with it. The first
 * line is an {@link Orders} and names the target; each further line is a {@link Wave}, or {@value
 * #REST}, to which the process answers with the {@link Counts} of the wave. All are JSON objects.
 */
final class AttackProgram {

  /** Ends a wave. */
  static final String REST = "rest";

  private static final Gson GSON = new Gson();
  private static final int QUICK_ATTACKERS = 4;
  private static final int SLOW_ATTACKERS = 4;
  private static final int FINDINGS_MAX = 20;

  private final Scene scene;
  private final List<Thread> attackers = new ArrayList<>();
  private Counts counts = Counts.none();
  private volatile boolean isAttacking;

  /**
   * Whom it attacks. Secrets go to standard input alone, because command lines are for all to see.
   *
   * @param httpPort null when it is not known
   */
  record Orders(
      int port,
      Integer httpPort,
      boolean isTls,
      String ownerId,
      String ownerSecret,
      String intruderId,
      String intruderSecret,
      Named victim,
      Named lair) {

    static Orders of(Scene scene) {
      Target target = scene.target();
      return new Orders(
          target.port(),
          target.httpPort().isPresent() ? target.httpPort().getAsInt() : null,
          target.isTls(),
          scene.owner().id(),
          text(scene.owner()),
          scene.intruder().id(),
          text(scene.intruder()),
          scene.victim(),
          scene.lair());
    }

    private static String text(AccessKey key) {
      return new String(key.secret().utf8(), StandardCharsets.UTF_8);
    }

    private Scene scene() {
      OptionalInt http = httpPort == null ? OptionalInt.empty() : OptionalInt.of(httpPort);
      return new Scene(
          new Target(port, http, isTls),
          new AccessKey(ownerId, Secret.of(ownerSecret)),
          new AccessKey(intruderId, Secret.of(intruderSecret)),
          victim,
          lair);
    }

    /** Without the secrets. */
    @Override
    public String toString() {
      return "Orders[" + ownerId + ", " + intruderId + "]";
    }
  }

  /**
   * Attacks until it is told to rest.
   *
   * @param connections strangers who come meanwhile, and stay
   */
  record Wave(long seed, int connections) {}

  /**
   * What came of a wave.
   *
   * @param crowd strangers who have come
   * @param cutOff attempts whose connection the server has ended
   * @param unanswered what the server neither answered nor cut off
   * @param found how often something was obtained, of which the first are told
   */
  record Counts(
      int crowd,
      Map<Attack, Integer> attempts,
      Map<Attack, Integer> cutOff,
      List<String> unanswered,
      int found,
      List<String> findings) {

    private static Counts none() {
      return new Counts(
          0,
          new EnumMap<>(Attack.class),
          new EnumMap<>(Attack.class),
          new ArrayList<>(),
          0,
          new ArrayList<>());
    }

    private Counts gathered(int strangers) {
      return new Counts(crowd + strangers, attempts, cutOff, unanswered, found, findings);
    }

    private Counts obtained(String what) {
      if (findings.size() < FINDINGS_MAX) {
        findings.add(what);
      }
      return new Counts(crowd, attempts, cutOff, unanswered, found + 1, findings);
    }
  }

  private AttackProgram(Scene scene) {
    this.scene = scene;
  }

  /** Without arguments. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      AttackProgram program = new AttackProgram(GSON.fromJson(in.readLine(), Orders.class).scene());
      program.obey(in, System.out);
    }
    // Attackers who are still waiting for an answer are not waited for.
    System.exit(0);
  }

  private void obey(BufferedReader in, PrintStream out) throws IOException, InterruptedException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Wave wave = GSON.fromJson(line, Wave.class);
      SplittableRandom random = new SplittableRandom(wave.seed());
      counts = Counts.none();
      begin(random.split());
      try (Crowd crowd = Crowd.gather(scene.target(), wave.connections(), random)) {
        gathered(crowd.size());
        if (in.readLine() == null) {
          return;
        }
        end();
      }
      out.println(GSON.toJson(counts));
      out.flush();
    }
  }

  private void begin(SplittableRandom random) {
    isAttacking = true;
    for (int i = 0; i < QUICK_ATTACKERS + SLOW_ATTACKERS; i++) {
      boolean isSlow = i >= QUICK_ATTACKERS;
      SplittableRandom own = random.split();
      Thread attacker = new Thread(() -> attack(isSlow, own), "attacker-" + i);
      attacker.start();
      attackers.add(attacker);
    }
  }

  private void end() throws InterruptedException {
    isAttacking = false;
    for (Thread attacker : attackers) {
      attacker.join();
    }
    attackers.clear();
  }

  /** Runs all attacks of one kind in the order of the list, and begins with a random attack. */
  private void attack(boolean isSlow, SplittableRandom random) {
    List<Attack> attacks =
        Arrays.stream(Attack.values()).filter(attack -> attack.isOfSeconds() == isSlow).toList();
    int next = random.nextInt(attacks.size());
    while (isAttacking) {
      attempt(attacks.get(next++ % attacks.size()), random.split());
    }
  }

  private void attempt(Attack attack, SplittableRandom random) {
    try {
      attack.attempt(scene, random);
    } catch (IOException e) {
      cutOff(attack);
    } catch (RawConnection.UnansweredException e) {
      unanswered(attack.text() + ": " + e.getMessage());
    } catch (RuntimeException e) {
      found(attack.text() + ": " + e.getMessage());
    }
    tried(attack);
  }

  private synchronized void gathered(int strangers) {
    counts = counts.gathered(strangers);
  }

  private synchronized void tried(Attack attack) {
    counts.attempts().merge(attack, 1, Integer::sum);
  }

  private synchronized void cutOff(Attack attack) {
    counts.cutOff().merge(attack, 1, Integer::sum);
  }

  /** Unanswered attempts are few, because each waits as long as a connection may. */
  private synchronized void unanswered(String what) {
    counts.unanswered().add(what);
  }

  private synchronized void found(String what) {
    counts = counts.obtained(what);
  }
}
