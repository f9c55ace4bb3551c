package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.session.RowSessions;
import io.tunnel.wire.control.RowSessionControl;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs contend for locks in a cluster whose nodes follow one log of the catalog, each at a pace
 * of its own. The leads of the catalog and of the partitions move, and a former leader learns of
 * that late.
 */
final class LedSessionsSimulationTest {

  private static final int WORLDS = 100;
  private static final int STEPS = 6_000;
  private static final int NODES = 3;
  private static final int PARTITIONS = 2;
  private static final int PROGRAMS = 4;
  private static final long LEASE_MS = 2_000;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void no_lock_has_two_owners_and_all_rows_of_dead_programs_go(long block) {
    int locks = 0;
    int ends = 0;
    int refusals = 0;
    int failedLeads = 0;
    for (long seed = block * WORLDS; seed < (block + 1) * WORLDS; seed++) {
      World world = new World(seed);
      world.run();
      locks += world.locks;
      ends += world.deletes;
      refusals += world.refusals;
      failedLeads += world.failedLeads;
    }
    assertThat(locks).as("locks that were taken").isGreaterThan(3 * WORLDS);
    assertThat(ends).as("locks that were freed by the end of a session").isGreaterThan(3 * WORLDS);
    assertThat(refusals).as("answers that a former leader kept back").isGreaterThan(WORLDS);
    assertThat(failedLeads).as("leads that did not begin").isGreaterThan(WORLDS / 5);
  }

  private static final class World {
    private final long seed;
    private final Random random;
    private final List<Map<String, Optional<String>>> log = new ArrayList<>();
    private final Map<String, String> truth = new TreeMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Partition> partitions = new ArrayList<>();
    private final List<Program> programs = new ArrayList<>();

    /** Answers and requests on their way. */
    private final List<Runnable> network = new ArrayList<>();

    private long nowMs;
    private int openings;
    private int secrets;
    private int locks;
    private int deletes;
    private int refusals;
    private int failedLeads;

    World(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      for (int i = 0; i < NODES; i++) {
        nodes.add(new Node(this));
      }
      for (int i = 0; i < PARTITIONS; i++) {
        partitions.add(new Partition());
        partitions.get(i).claim(this, i);
      }
      for (int i = 0; i < PROGRAMS; i++) {
        programs.add(new Program(this));
      }
      any(nodes).open();
    }

    <T> T any(List<T> of) {
      return of.get(random.nextInt(of.size()));
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        step(true);
        requireOneOwner();
      }
      programs.forEach(program -> program.isDead = true);
      for (int i = 0; i < 20 * STEPS && isAnythingLeft(); i++) {
        if (i % (STEPS / 2) == 0 && nodes.stream().noneMatch(Node::isLeading)) {
          any(nodes).open();
        }
        step(false);
      }
      assertThat(isAnythingLeft()).as("a row or a session is left, seed %d", seed).isFalse();
    }

    private boolean isAnythingLeft() {
      return partitions.stream().anyMatch(partition -> partition.row != 0)
          || truth.keySet().stream().anyMatch(name -> name.startsWith("rowsession/"));
    }

    private void step(boolean isRough) {
      Node node = any(nodes);
      int kind = random.nextInt(100);
      if (kind < 30) {
        node.work();
      } else if (kind < 45) {
        node.follow();
      } else if (kind < 52) {
        node.look();
      } else if (kind < 57) {
        node.control.add(node.sessions::tick);
      } else if (kind < 64) {
        nowMs += random.nextInt(100);
      } else if (kind < 72) {
        node.sweep();
      } else if (kind < 84) {
        if (!network.isEmpty()) {
          network.remove(random.nextInt(network.size())).run();
        }
      } else if (kind < 97) {
        any(programs).act();
      } else if (kind == 97) {
        node.settle();
      } else if (kind == 98) {
        node.learnsOfSuccessor();
        if (isRough && random.nextInt(3) == 0) {
          partitions.get(random.nextInt(PARTITIONS)).claim(this, random.nextInt(NODES));
        }
      } else if (isRough && random.nextInt(4) == 0) {
        roughStep(node);
      }
    }

    private void roughStep(Node node) {
      switch (random.nextInt(4)) {
        case 0 -> node.open();
        case 1 -> node.isSlow = !node.isSlow;
        case 2 -> nowMs += 2 * LEASE_MS;
        default -> {
          programs.remove(random.nextInt(PROGRAMS)).isDead = true;
          programs.add(new Program(this));
        }
      }
    }

    private void requireOneOwner() {
      for (Partition partition : partitions) {
        List<Long> owners =
            programs.stream()
                .filter(program -> program.holds == partition && program.isOpen())
                .map(program -> program.session)
                .toList();
        assertThat(owners).as("owners of one lock, seed %d, at %d", seed, nowMs).hasSizeLessThan(2);
        owners.forEach(
            session ->
                assertThat(truth)
                    .as("a program believes in its session, seed %d", seed)
                    .containsKey("rowsession/" + session));
      }
    }

    void append(Map<String, Optional<String>> changes) {
      log.add(Map.copyOf(changes));
      CatalogStore.apply(changes, truth);
    }
  }

  /** A partition with one row, the lock. */
  private static final class Partition {
    private int leader;
    private long incarnation;

    /** The session that the row is bound to; 0 without a row. */
    private long row;

    private final Set<Long> deleted = new HashSet<>();

    void claim(World world, int node) {
      leader = node;
      incarnation++;
      world.nodes.get(node).claims.put(world.partitions.indexOf(this), incarnation);
    }
  }

  private static final class Node {
    private final World world;
    private final Catalog catalog = new Catalog();
    private final Deque<Runnable> control = new ArrayDeque<>();
    private final Map<Integer, Long> claims = new HashMap<>();
    private final List<Runnable> asks = new ArrayList<>();
    private final List<Wait> waits = new ArrayList<>();
    private final LedSessions sessions;
    private final LedStore.Holder holder;
    private Optional<Store> store = Optional.empty();
    private int followed;
    private int resignations;

    /** Whether the node reads the log of the catalog late. */
    private boolean isSlow;

    private record Wait(int end, Runnable then) {}

    Node(World world) {
      this.world = world;
      catalog.caughtUp();
      sessions =
          new LedSessions(
              catalog,
              new LedSessions.Around(
                  asks::add,
                  new Rows(world),
                  partition -> Optional.ofNullable(claims.get(partition)),
                  () -> TimeUnit.MILLISECONDS.toNanos(world.nowMs),
                  control::add));
      holder = sessions.with(new Holder());
    }

    private final class Holder implements LedStore.Holder {
      @Override
      public void lead(CatalogStore opened) throws IOException {
        catalog.lead(opened);
      }

      @Override
      public void stored(Map<String, Optional<String>> changes) {
        catalog.applied(changes);
      }

      @Override
      public void resign() {
        catalog.resign();
        int own = ++resignations;
        asks.add(
            () -> {
              if (own == resignations) {
                catalog.caughtUp();
              }
            });
      }
    }

    void work() {
      if (!control.isEmpty()) {
        control.remove().run();
      }
    }

    /** Hears the next write; what waits for it runs behind, on the control thread. */
    void follow() {
      if (isSlow && world.random.nextInt(30) != 0) {
        return;
      }
      if (followed < world.log.size()) {
        Map<String, Optional<String>> changes = world.log.get(followed++);
        control.add(() -> catalog.followed(changes));
      }
      List<Wait> reached = waits.stream().filter(wait -> wait.end() <= followed).toList();
      waits.removeAll(reached);
      reached.forEach(wait -> control.add(wait.then()));
    }

    void look() {
      int end = world.log.size();
      asks.forEach(then -> waits.add(new Wait(end, then)));
      asks.clear();
    }

    void open() {
      Store opened = new Store(this, ++world.openings);
      control.add(
          () -> {
            if (store.isPresent()) {
              resign();
            }
            try {
              holder.lead(opened);
              store = Optional.of(opened);
            } catch (FencedStoreException | StoreUnavailableException e) {
              // Nothing has begun.
              world.failedLeads++;
            } catch (IOException e) {
              throw new AssertionError("seed " + world.seed, e);
            }
          });
    }

    boolean isLeading() {
      return store.filter(own -> own.number == world.openings).isPresent();
    }

    private void resign() {
      store = Optional.empty();
      holder.resign();
    }

    void learnsOfSuccessor() {
      if (store.filter(own -> own.number != world.openings).isPresent()) {
        control.add(
            () -> {
              if (store.filter(own -> own.number != world.openings).isPresent()) {
                resign();
              }
            });
      }
    }

    void settle() {
      store.ifPresent(Store::settle);
    }

    /** As the shard does it, with what this node has read of the catalog. */
    void sweep() {
      for (int i = 0; i < PARTITIONS; i++) {
        Partition partition = world.partitions.get(i);
        boolean isLed = claims.getOrDefault(i, 0L) == partition.incarnation;
        long row = partition.row;
        if (isLed && row != 0 && catalog.rowSessions().ownerOfRow(row).isEmpty()) {
          assertThat(world.truth)
              .as("a row of a session that lives is deleted, seed %d", world.seed)
              .doesNotContainKey("rowsession/" + row);
          partition.deleted.add(row);
          partition.row = 0;
          world.deletes++;
        }
      }
    }

    /** A bound write whose row must not exist. */
    void lock(int index, Program program, SessionProof proof) {
      Partition partition = world.partitions.get(index);
      if (!claims.containsKey(index)) {
        return;
      }
      long claim = claims.get(index);
      try {
        if (!sessions.admits(index, proof, "")) {
          sessions.whenRead(
              index,
              proof.session(),
              refusal -> {
                if (refusal.isEmpty()) {
                  lock(index, program, proof);
                }
              });
          return;
        }
      } catch (RefusedException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.SESSION_ENDED);
        return;
      }
      boolean isEnded = catalog.rowSessions().ownerOfRow(proof.session()).isEmpty();
      if (isEnded || claim != partition.incarnation || partition.row != 0) {
        return;
      }
      assertThat(partition.deleted)
          .as("a session whose rows were deleted binds a row, seed %d", world.seed)
          .doesNotContain(proof.session());
      partition.row = proof.session();
      world.network.add(() -> program.taken(partition, proof.session()));
    }
  }

  /** Rows of a session in all partitions, as their leaders know them. */
  private record Rows(World world) implements RowSessions.Rows {
    @Override
    public void unbind() {}

    @Override
    public CompletableFuture<Map<Long, Long>> left(Set<Long> sessions) {
      Map<Long, Long> left = new TreeMap<>();
      for (long session : sessions) {
        left.put(session, world.partitions.stream().filter(p -> p.row == session).count());
      }
      return CompletableFuture.completedFuture(left);
    }
  }

  /** The store of one leader; a later opening fences the store. */
  private static final class Store implements CatalogStore {
    private final Node node;
    private final int number;
    private final Map<String, String> texts;
    private Optional<Map<String, Optional<String>>> inDoubt = Optional.empty();

    Store(Node node, int number) {
      this.node = node;
      this.number = number;
      this.texts = new TreeMap<>(node.world.truth);
    }

    @Override
    public Map<String, String> all() {
      return Map.copyOf(texts);
    }

    @Override
    public void write(Map<String, Optional<String>> changes) throws IOException {
      World world = node.world;
      if (number != world.openings) {
        throw new FencedStoreException("another node writes", null);
      }
      if (inDoubt.isPresent()) {
        throw new StoreUnavailableException("an earlier write is in doubt", null);
      }
      if (world.random.nextInt(12) == 0) {
        inDoubt = Optional.of(Map.copyOf(changes));
        throw new UnknownOutcomeException("no answer", new IOException("late"));
      }
      stored(changes);
    }

    private void stored(Map<String, Optional<String>> changes) {
      CatalogStore.apply(changes, texts);
      node.world.append(changes);
    }

    /** What became of the write in doubt: stored, or not, or another leader came first. */
    void settle() {
      if (inDoubt.isEmpty() || number != node.world.openings) {
        return;
      }
      Map<String, Optional<String>> changes = inDoubt.get();
      if (node.world.random.nextBoolean()) {
        inDoubt = Optional.empty();
        return;
      }
      stored(changes);
      node.control.add(
          () -> {
            if (node.store.filter(this::equals).isPresent()) {
              node.holder.stored(changes);
            }
            inDoubt = Optional.empty();
          });
    }

    @Override
    public void close() {}
  }

  /** A program that has one session at a time, as the SDK keeps it. */
  private static final class Program {
    private final World world;
    private Bytes secret = Bytes.EMPTY;

    /** 0 without a session. */
    private long session;

    private long deadlineMs;
    private long askedMs = Long.MIN_VALUE / 2;
    private Partition holds;
    private boolean isDead;

    /** The session before, which has ended as far as the program knows. */
    private Optional<SessionProof> former = Optional.empty();

    Program(World world) {
      this.world = world;
    }

    boolean isOpen() {
      return !isDead && session != 0 && world.nowMs < deadlineMs;
    }

    void act() {
      if (isDead) {
        return;
      }
      if (session != 0 && !isOpen()) {
        former = Optional.of(new SessionProof(session, secret));
        session = 0;
        secret = Bytes.EMPTY;
      }
      if (world.random.nextInt(4) == 0) {
        lateLock();
      }
      boolean isDue = world.nowMs - askedMs > LEASE_MS / 6;
      if (session == 0 && isDue) {
        open(world.any(world.nodes));
      } else if (isOpen() && isDue && world.random.nextInt(10) != 0) {
        renew(world.any(world.nodes));
      } else if (isOpen()) {
        lock();
      }
    }

    private void open(Node node) {
      if (secret.length() == 0) {
        byte[] drawn = new byte[SessionProof.SECRET_BYTES];
        int number = ++world.secrets;
        drawn[0] = (byte) number;
        drawn[1] = (byte) (number >> 8);
        secret = Bytes.copyOf(drawn);
      }
      Bytes own = secret;
      askedMs = world.nowMs;
      long asked = askedMs;
      ask(
          node,
          (sessions, done) -> {
            CompletableFuture<Long> opening;
            try {
              opening = sessions.open(new RowSessionControl.Open(LEASE_MS, own), "");
            } catch (RefusedException e) {
              // The session of this secret has ended meanwhile.
              done.accept(() -> forget(own));
              return;
            }
            var unused =
                opening.whenComplete(
                    (id, failure) -> {
                      if (failure == null) {
                        done.accept(() -> opened(own, id, asked));
                      }
                    });
          });
    }

    private void forget(Bytes of) {
      if (session == 0 && secret.equals(of)) {
        secret = Bytes.EMPTY;
      }
    }

    private void opened(Bytes of, long id, long asked) {
      if (session == 0 && secret.equals(of)) {
        session = id;
        deadlineMs = asked + LEASE_MS;
        holds = null;
      }
    }

    private void renew(Node node) {
      long own = session;
      askedMs = world.nowMs;
      long asked = askedMs;
      RowSessionControl.Named named = new RowSessionControl.Named(own, secret);
      ask(
          node,
          (sessions, done) -> {
            Runnable answer;
            try {
              sessions.renew(named, "");
              answer =
                  () -> {
                    if (session == own) {
                      deadlineMs = Math.max(deadlineMs, asked + LEASE_MS);
                    }
                  };
            } catch (RefusedException e) {
              answer = () -> lost(own);
            }
            done.accept(answer);
          });
    }

    /** The owner of the sessions has said so: nobody else may know better. */
    private void lost(long of) {
      assertThat(world.truth)
          .as("a session that lives is refused, seed %d", world.seed)
          .satisfies(
              texts ->
                  assertThat(session == of && isOpen() && texts.containsKey("rowsession/" + of))
                      .isFalse());
      if (session == of) {
        session = 0;
        secret = Bytes.EMPTY;
      }
    }

    private interface Asked {
      void with(RowSessions sessions, Consumer<Runnable> done);
    }

    /** As the server answers: by the owner, when it has confirmed that it is the owner. */
    private void ask(Node node, Asked what) {
      world.network.add(
          () ->
              node.control.add(
                  () -> {
                    RowSessions led;
                    try {
                      led = node.sessions.led();
                    } catch (RefusedException e) {
                      return;
                    }
                    what.with(
                        led,
                        answer ->
                            node.sessions.confirm(
                                () -> world.network.add(answer), refused -> world.refusals++));
                  }));
    }

    /** A write that was under way for long, or of a program that was stopped. */
    private void lateLock() {
      if (former.isPresent()) {
        int index = world.random.nextInt(PARTITIONS);
        Node leader = world.nodes.get(world.partitions.get(index).leader);
        leader.lock(index, this, former.get());
      }
    }

    private void lock() {
      int index = world.random.nextInt(PARTITIONS);
      Node leader = world.nodes.get(world.partitions.get(index).leader);
      SessionProof proof = new SessionProof(session, secret);
      world.network.add(() -> leader.lock(index, this, proof));
    }

    void taken(Partition partition, long of) {
      if (isOpen() && session == of) {
        holds = partition;
        world.locks++;
      }
    }
  }
}
