package io.tunnel.it.sim.rights;

import io.tunnel.it.sim.machine.SimKeys;
import io.tunnel.it.sim.rights.Subject.Standing;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.Secret;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * An administrator of a closed world. The administrator gives each client a key and rights, revokes
 * the rights of some clients while these work, and grants them again.
 */
public final class RightsStory {

  private static final String TABLES = "table:*";
  private static final String TUNNELS = "tunnel:*";

  private static final long RIGHTS = 0x219475L;
  private static final long QUIET_MS_MAX = 120_000;

  private final Home home;
  private final RightsTruth truth;
  private final SplittableRandom random;
  private final Plan plan;
  private final List<Turn> turns = new ArrayList<>();
  private int asking;

  /** The world. */
  public interface Home extends Asking.Port {
    /** The keys with which clients come. */
    SimKeys keys();

    /** Says what is done. */
    void trace(String text);

    /** Something was done. */
    void count(Act act);

    /** The time of the world. */
    long nowNanos();

    /** Lets a moment pass; returns its milliseconds. */
    long pass();
  }

  /**
   * What may be taken, and from whom.
   *
   * @param mayRotate whether keys are rotated
   * @param never principals from whom nothing is taken
   * @param surely principals whose turn comes; that of all others, chance decides
   */
  public record Plan(boolean mayRotate, Set<String> never, Set<String> surely) {

    /** Copies the sets. */
    public Plan {
      never = Set.copyOf(never);
      surely = Set.copyOf(surely);
    }
  }

  /** What is done to a client. */
  public enum Act {
    /** Its right is withdrawn. */
    WITHDRAW,
    /** Denies a right, which overrides its grant. */
    DENY,
    /** Its key is revoked. */
    REVOKE,
    /** Gives the key a second secret, and later removes the first. */
    ROTATE,
    /** It has back what was taken. */
    GIVE_BACK
  }

  /** A client that the administrator changes now and then. */
  private static final class Turn {
    private final Subject subject;
    private final String resource;
    private AccessKey key = SimKeys.ADMINISTRATOR;

    /** The secret before, while a rotation lasts. */
    private Optional<AccessKey> former = Optional.empty();

    private Optional<Act> done = Optional.empty();
    private boolean isAsking;

    Turn(Subject subject, String resource) {
      this.subject = subject;
      this.resource = resource;
    }

    PermissionInfo permission(boolean isAllowed) {
      String right = subject.right.name().toLowerCase(Locale.ROOT);
      return new PermissionInfo(subject.principal.name(), isAllowed, List.of(right), resource);
    }
  }

  /** In a world of which truth sees everything. */
  public RightsStory(Home home, RightsTruth truth, long seed, Plan plan) {
    this.home = home;
    this.truth = truth;
    this.random = new SplittableRandom(seed ^ RIGHTS);
    this.plan = plan;
  }

  /** Gives keys and rights; nothing goes wrong meanwhile. */
  public void begin() {
    client("operator", Right.SERVER, TABLES, List.of("read", "write", "create", "alter", "drop"));
    grant("operator", TUNNELS, List.of("consume", "create", "drop", "operate"));
    client("writer", anyOf("writer", Right.WRITE), TABLES, List.of("read", "write"));
    client("reader", anyOf("reader", Right.READ), TABLES, List.of("read"));
    client("reading", anyOf("reading", Right.READ), TABLES, List.of("read"));
    client("worker-0", anyOf("worker-0", Right.CONSUME), TUNNELS, List.of("consume"));
    client("worker-1", anyOf("worker-1", Right.CONSUME), TUNNELS, List.of("consume"));
    grant("worker-1", TABLES, List.of("read"));
    passUntil(() -> asking == 0);
  }

  /** Gives a client a key and rights on all tables, of which nothing is taken. */
  public void client(String name, List<String> rights) {
    client(name, Right.SERVER, TABLES, rights);
    passUntil(() -> asking == 0);
  }

  /** Gives a principal a quota. */
  public void limit(String principal, QuotaLimit limit) {
    ask(Operation.SET_QUOTA, new QuotaChange(principal, List.of(limit), List.of()), answer -> {});
    passUntil(() -> asking == 0);
  }

  private void passUntil(BooleanSupplier isOver) {
    long waited = 0;
    while (!isOver.getAsBoolean()) {
      Invariant.LIVENESS.require(waited < QUIET_MS_MAX, "rights are not given after %d ms", waited);
      waited += home.pass();
    }
  }

  private Right anyOf(String name, Right right) {
    boolean isTouched = random.nextBoolean() && !plan.never().contains(name);
    return isTouched || plan.surely().contains(name) ? right : Right.SERVER;
  }

  private void client(String name, Right right, String resource, List<String> rights) {
    Subject subject = new Subject(name, right);
    truth.subject(subject);
    Turn turn = new Turn(subject, resource);
    grant(name, resource, rights);
    createKey(turn);
    if (right != Right.SERVER) {
      turns.add(turn);
    }
  }

  private void grant(String name, String resource, List<String> rights) {
    ask(Operation.GRANT, new PermissionInfo(name, true, rights, resource), answer -> {});
  }

  private void ask(Operation operation, Control request, Consumer<Optional<Frame>> then) {
    asking++;
    Asking.ask(
        home,
        operation,
        request,
        answer -> {
          then.accept(answer);
          asking--;
        });
  }

  /** Does something to somebody, or nothing. */
  public void act() {
    if (!turns.isEmpty() && random.nextInt(5) == 0) {
      Turn turn = turns.get(random.nextInt(turns.size()));
      if (!turn.isAsking) {
        take(turn);
      }
    }
  }

  private void take(Turn turn) {
    if (turn.done.isPresent()) {
      giveBack(turn);
      return;
    }
    Act act = Act.values()[random.nextInt(plan.mayRotate() ? 4 : 3)];
    home.trace("administrator: " + act + " " + turn.subject);
    turn.isAsking = true;
    turn.done = Optional.of(act);
    switch (act) {
      case WITHDRAW -> changeRight(turn, Operation.WITHDRAW, true, Standing.WITHDRAWN);
      case DENY -> changeRight(turn, Operation.GRANT, false, Standing.WITHDRAWN);
      case REVOKE -> revoke(turn);
      case ROTATE -> rotate(turn);
      case GIVE_BACK -> throw new IllegalStateException("nothing was taken");
    }
    home.count(act);
  }

  private void giveBack(Turn turn) {
    home.trace("administrator: gives back to " + turn.subject + " after " + turn.done.get());
    turn.isAsking = true;
    switch (turn.done.get()) {
      case WITHDRAW -> changeRight(turn, Operation.GRANT, true, Standing.GRANTED);
      case DENY -> changeRight(turn, Operation.WITHDRAW, false, Standing.GRANTED);
      case REVOKE -> createKey(turn);
      case ROTATE -> finishRotation(turn);
      case GIVE_BACK -> throw new IllegalStateException("it was given back");
    }
    turn.done = Optional.empty();
    home.count(Act.GIVE_BACK);
  }

  /** Gives back what was taken, and lets time pass until that is done. */
  public void giveAllBack() {
    passUntil(this::isAllBack);
    // A worker that is refused at its start does not try again.
    home.keys().settle();
  }

  private boolean isAllBack() {
    turns.stream().filter(turn -> turn.done.isPresent() && !turn.isAsking).forEach(this::giveBack);
    return asking == 0 && turns.stream().allMatch(turn -> turn.done.isEmpty());
  }

  /** Refused for good it is done already, by the same request whose answer was lost. */
  private void changeRight(Turn turn, Operation operation, boolean isAllowed, Standing after) {
    turn.subject.becomes(Standing.CHANGING, home.nowNanos());
    ask(
        operation,
        turn.permission(isAllowed),
        answer -> {
          turn.subject.becomes(after, home.nowNanos());
          acknowledged(turn);
        });
  }

  private void acknowledged(Turn turn) {
    home.trace("administrator: done to " + turn.subject);
    turn.isAsking = false;
    truth.acknowledged();
  }

  private void createKey(Turn turn) {
    turn.isAsking = true;
    ask(
        Operation.CREATE_KEY,
        new CreateKey(turn.subject.principal.name()),
        answer -> {
          becomes(turn, answer.orElseThrow());
          home.keys().put(turn.subject.principal.name(), turn.key);
          acknowledged(turn);
        });
  }

  private static void becomes(Turn turn, Frame answer) {
    KeySecret created = Json.decode(answer.payload(), KeySecret.class);
    turn.key = new AccessKey(created.key().id(), Secret.of(created.secret()));
    turn.subject.lives(turn.key);
  }

  private void revoke(Turn turn) {
    AccessKey key = turn.key;
    turn.subject.dies(key, home.nowNanos());
    ask(
        Operation.REVOKE_KEY,
        new SecurityId(key.id()),
        answer -> {
          turn.subject.died(key, home.nowNanos());
          acknowledged(turn);
        });
  }

  /** Asked for again when an answer was lost it is refused: nobody knows the new secret. */
  private void rotate(Turn turn) {
    ask(
        Operation.ROTATE_KEY,
        new RotateKey(turn.key.id(), false),
        answer -> {
          if (answer.isPresent()) {
            AccessKey former = turn.key;
            turn.former = Optional.of(former);
            becomes(turn, answer.get());
            home.keys().rotate(turn.subject.principal.name(), turn.key, former);
            acknowledged(turn);
          } else {
            turn.done = Optional.of(Act.REVOKE);
            revoke(turn);
          }
        });
  }

  private void finishRotation(Turn turn) {
    AccessKey former = turn.former.orElseThrow();
    turn.former = Optional.empty();
    turn.subject.dies(former, home.nowNanos());
    ask(
        Operation.ROTATE_KEY,
        new RotateKey(former.id(), true),
        answer -> {
          turn.subject.died(former, home.nowNanos());
          home.keys().rotated(turn.subject.principal.name());
          acknowledged(turn);
        });
  }
}
