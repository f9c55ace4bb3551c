package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.session.RowSessions;
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

/** A cluster whose nodes follow one log of the catalog, and programs that contend for locks. */
final class LedSessionsWorld {

  static final int STEPS = 6_000;
  static final int NODES = 3;
  static final int PARTITIONS = 2;
  static final int PROGRAMS = 4;
  static final long LEASE_MS = 2_000;

  private LedSessionsWorld() {}

  static final class World {
    final long seed;
    final Random random;
    final List<Map<String, Optional<String>>> log = new ArrayList<>();
    final Map<String, String> truth = new TreeMap<>();
    final List<Node> nodes = new ArrayList<>();
    final List<Partition> partitions = new ArrayList<>();
    final List<LockProgram> programs = new ArrayList<>();

    /** Answers and requests on their way. */
    final List<Runnable> network = new ArrayList<>();

    long nowMs;
    int openings;
    int secrets;
    int locks;
    int deletes;
    int refusals;
    int failedLeads;

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
        programs.add(new LockProgram(this));
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

    boolean isAnythingLeft() {
      return partitions.stream().anyMatch(partition -> partition.row != 0)
          || truth.keySet().stream().anyMatch(name -> name.startsWith("rowsession/"));
    }

    void step(boolean isRough) {
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

    void roughStep(Node node) {
      switch (random.nextInt(4)) {
        case 0 -> node.open();
        case 1 -> node.isSlow = !node.isSlow;
        case 2 -> nowMs += 2 * LEASE_MS;
        default -> {
          programs.remove(random.nextInt(PROGRAMS)).isDead = true;
          programs.add(new LockProgram(this));
        }
      }
    }

    void requireOneOwner() {
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
  static final class Partition {
    int leader;
    long incarnation;

    /** The session that the row is bound to; 0 without a row. */
    long row;

    final Set<Long> deleted = new HashSet<>();

    void claim(World world, int node) {
      leader = node;
      incarnation++;
      world.nodes.get(node).claims.put(world.partitions.indexOf(this), incarnation);
    }
  }

  static final class Node {
    final World world;
    final Catalog catalog = new Catalog();
    final Deque<Runnable> control = new ArrayDeque<>();
    final Map<Integer, Long> claims = new HashMap<>();
    final List<Runnable> asks = new ArrayList<>();
    final List<Wait> waits = new ArrayList<>();
    final LedSessions sessions;
    final LedStore.Holder holder;
    Optional<Store> store = Optional.empty();
    int followed;
    int resignations;

    /** Whether the node reads the log of the catalog late. */
    boolean isSlow;

    record Wait(int end, Runnable then) {}

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

    final class Holder implements LedStore.Holder {
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

    void resign() {
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
    void lock(int index, LockProgram program, SessionProof proof) {
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
  record Rows(World world) implements RowSessions.Rows {
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
  static final class Store implements CatalogStore {
    final Node node;
    final int number;
    final Map<String, String> texts;
    Optional<Map<String, Optional<String>>> inDoubt = Optional.empty();

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

    void stored(Map<String, Optional<String>> changes) {
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
}
