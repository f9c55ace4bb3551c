package io.tunnel.programs.torture.hostile;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.Human;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Phases of quiet and of attack by turns, until the time is over, while an ordinary client works
 * and health is asked for.
 */
final class HostileRun {

  private static final int PHASES = 8;
  private static final long PHASE_MS_MAX = 15_000;
  private static final long HEALTH_EVERY_MS = 500;

  private final HostileOptions options;
  private final long seed;
  private final HostileTally tally;
  private final LoadClock clock;
  private final PrintWriter err;

  private record Cast(Target target, Attackers attackers, OrdinaryClient client) {}

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
    try (Attackers attackers = Attackers.start(scene, options.turn());
        OrdinaryClient client = OrdinaryClient.start(clock, owner, scene.victim().table())) {
      err.println("attackers: a process " + attackers.place());
      Cast cast = new Cast(target, attackers, client);
      long phaseMs = Math.min(PHASE_MS_MAX, options.time().toMillis() / PHASES);
      long lastBeginNanos =
          clock.nanos() + options.time().toNanos() - TimeUnit.MILLISECONDS.toNanos(2 * phaseMs);
      SplittableRandom random = new SplittableRandom(seed);
      // The first rounds and the first attacks pay for what is loaded and compiled once.
      inQuiet(cast, phaseMs, "warming up in quiet", uncounted());
      underAttack(cast, phaseMs, "warming up under attack", random.nextLong(), uncounted());
      do {
        inQuiet(cast, phaseMs, "in quiet", tally.quiet);
        underAttack(cast, phaseMs, "under attack", random.nextLong(), tally.attacked);
      } while (clock.nanos() - lastBeginNanos < 0);
      client.trouble().ifPresent(why -> tally.found("the ordinary client: " + why));
    } finally {
      scene.remove(admin);
    }
  }

  private static ConcurrentHistogram uncounted() {
    return new ConcurrentHistogram(HostileTally.DIGITS);
  }

  private void inQuiet(Cast cast, long ms, String what, ConcurrentHistogram tookNanos) {
    phase(cast, ms, tookNanos);
    report(what, ms);
  }

  private void underAttack(
      Cast cast, long ms, String what, long waveSeed, ConcurrentHistogram tookNanos)
      throws IOException {
    cast.attackers().attack(new AttackProgram.Wave(waveSeed, options.connections()));
    phase(cast, ms, tookNanos);
    // What is under way ends in its own time, and not in the phase.
    tally.came(cast.attackers().rest());
    report(what, ms);
  }

  private void phase(Cast cast, long ms, ConcurrentHistogram tookNanos) {
    cast.client().countInto(tookNanos);
    long endNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(ms);
    while (clock.nanos() - endNanos < 0) {
      if (cast.target().httpPort().isPresent()) {
        tally.health(isUp(cast.target()));
      }
      long next = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(HEALTH_EVERY_MS);
      clock.waitUntil(Math.min(next, endNanos), () -> false);
    }
    cast.client().countInto(uncounted());
  }

  private void report(String what, long ms) {
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
          .write(
              "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .contains("\"status\":\"UP\"");
    } catch (IOException e) {
      return false;
    }
  }
}
