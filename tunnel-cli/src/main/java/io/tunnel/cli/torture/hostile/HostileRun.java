package io.tunnel.cli.torture.hostile;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.Human;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Phases of quiet and of attack by turns, until the time is over, while an ordinary client works
 * and health is asked for. Attackers go through all attacks; those whom the server keeps waiting
 * have threads of their own.
 */
final class HostileRun {

  private static final int QUICK_ATTACKERS = 4;
  private static final int SLOW_ATTACKERS = 4;
  private static final int PHASES = 6;
  private static final long PHASE_MS_MAX = 15_000;
  private static final long HEALTH_EVERY_MS = 500;

  private final HostileOptions options;
  private final long seed;
  private final HostileTally tally;
  private final LoadClock clock;
  private final PrintWriter err;
  private volatile boolean isAttacking;

  HostileRun(
      HostileOptions options, long seed, HostileTally tally, LoadClock clock, PrintWriter err) {
    this.options = options;
    this.seed = seed;
    this.tally = tally;
    this.clock = clock;
    this.err = err;
  }

  /** Returns when the time is over; a server is started in {@code work} unless there is one. */
  void run(Path work) throws IOException, InterruptedException {
    Optional<ClientConfig> existing = options.existing();
    if (existing.isPresent()) {
      OptionalInt http = options.httpPort().map(OptionalInt::of).orElseGet(OptionalInt::empty);
      int port = existing.get().endpoints().get(0).port();
      boolean isTls = existing.get().security().isTls();
      attack(new Target(port, http, isTls), existing.get());
      return;
    }
    try (HostileServer server = HostileServer.start(work)) {
      attack(server.target(), server.admin());
      if (!server.isAlive()) {
        tally.found("the server has ended");
      }
      server.blames().forEach(line -> tally.found("the server blames itself: " + line));
      tally.memory(server.memoryBytes(), HostileServer.memoryBytesMax());
    }
  }

  private void attack(Target target, ClientConfig admin) throws IOException, InterruptedException {
    Scene scene = Scene.make(target, admin, "_" + Long.toHexString(seed));
    // On the table of the victim, whose rights are no attacker's.
    ClientConfig owner = admin.withSecurity(admin.security().withKey(scene.owner()));
    try (OrdinaryClient client = OrdinaryClient.start(clock, owner, scene.victim().table())) {
      long phaseMs = Math.min(PHASE_MS_MAX, options.time().toMillis() / PHASES);
      // The first rounds pay for what is loaded and compiled once.
      phase(target, phaseMs, "warming up");
      long endNanos =
          clock.nanos() + options.time().toNanos() - TimeUnit.MILLISECONDS.toNanos(phaseMs);
      SplittableRandom random = new SplittableRandom(seed);
      while (clock.nanos() - endNanos < 0) {
        client.countInto(tally.quiet);
        phase(target, phaseMs, "in quiet");
        client.countInto(tally.attacked);
        underAttack(scene, phaseMs, random.split());
      }
      client.trouble().ifPresent(why -> tally.found("the ordinary client: " + why));
    } finally {
      scene.remove(admin);
    }
  }

  private void underAttack(Scene scene, long phaseMs, SplittableRandom random)
      throws IOException, InterruptedException {
    isAttacking = true;
    List<Thread> attackers = new ArrayList<>();
    try (Crowd crowd = Crowd.gather(scene.target(), options.connections(), random)) {
      tally.gathered(crowd.size());
      for (int i = 0; i < QUICK_ATTACKERS + SLOW_ATTACKERS; i++) {
        boolean isSlow = i >= QUICK_ATTACKERS;
        SplittableRandom own = random.split();
        Thread attacker = new Thread(() -> attack(scene, isSlow, own), "attacker-" + i);
        attacker.start();
        attackers.add(attacker);
      }
      phase(scene.target(), phaseMs, "under attack");
    } finally {
      isAttacking = false;
      for (Thread attacker : attackers) {
        attacker.join();
      }
    }
  }

  /** All of its kind in the order of the list, from another one each time. */
  private void attack(Scene scene, boolean isSlow, SplittableRandom random) {
    List<Attack> attacks =
        Arrays.stream(Attack.values()).filter(attack -> attack.isOfSeconds() == isSlow).toList();
    int next = random.nextInt(attacks.size());
    while (isAttacking) {
      attempt(attacks.get(next++ % attacks.size()), scene, random.split());
    }
  }

  private void attempt(Attack attack, Scene scene, SplittableRandom random) {
    try {
      attack.attempt(scene, random);
      tally.tried(attack);
    } catch (IOException e) {
      tally.cutOff(attack);
    } catch (RuntimeException e) {
      tally.tried(attack);
      tally.found(attack.text() + ": " + e.getMessage());
    }
  }

  private void phase(Target target, long ms, String what) {
    long endNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(ms);
    while (clock.nanos() - endNanos < 0) {
      if (target.httpPort().isPresent()) {
        tally.health(isUp(target));
      }
      long next = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(HEALTH_EVERY_MS);
      clock.waitUntil(Math.min(next, endNanos), () -> false);
    }
    err.println(
        what
            + " for "
            + Human.duration(ms)
            + ": "
            + Human.count(tally.attempts())
            + " attempts until now, "
            + (tally.found() == 0 ? "nothing obtained" : tally.found() + " FOUND"));
    err.flush();
  }

  private static boolean isUp(Target target) {
    try (Socket plain = RawConnection.socket(target.httpPort().getAsInt());
        Socket socket = target.isTls() ? RawConnection.tls(plain) : plain) {
      socket
          .getOutputStream()
          .write("GET /health HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .contains("\"status\":\"UP\"");
    } catch (IOException e) {
      return false;
    }
  }
}
