package io.tunnel.server.node;

import io.tunnel.codec.SessionProof;
import io.tunnel.core.RowSessionCore;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogEpoch;
import io.tunnel.server.catalog.RowSessionRecords;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.session.LooksCore;
import io.tunnel.server.session.RowSessionHost;
import io.tunnel.server.session.RowSessions;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * The row sessions of a cluster, on one of its nodes. The node owns the sessions while it leads the
 * catalog, and follows their records otherwise. See docs/internals/adr/0046.
 *
 * <p>The control thread owns all state but {@link #read}.
 */
final class LedSessions implements RowSessionHost {

  /** Milliseconds that a request waits for a look at the end of the catalog's log. */
  static final long WAIT_MS_MAX = 2_000;

  private final Catalog catalog;
  private final RowSessionRecords records;
  private final Around around;
  private final LooksCore<Consumer<Optional<RefusedException>>> looks =
      new LooksCore<>(TimeUnit.MILLISECONDS.toNanos(WAIT_MS_MAX));

  /** Present while this node leads the catalog. */
  private Optional<Led> led = Optional.empty();

  /**
   * Whether the node has read the catalog since the node led the catalog last. Before, the catalog
   * lacks writes of the next leader.
   */
  private boolean isCaughtUp = true;

  private long resignations;

  /**
   * By partition, its incarnation here: after the claim that began this incarnation, the node has
   * read the catalog to the end that its log had then. So this node knows each end of a session
   * that a former leader of the partition acted on. At most one entry for each partition.
   */
  private final Map<Integer, Long> read = new ConcurrentHashMap<>();

  private volatile RowSessions.Owners owners = RowSessions.Owners.ANYBODY;

  /**
   * What surrounds the sessions.
   *
   * @param catchUp runs an action on the control thread once the node has read all of the catalog
   *     that was stored before the call; never, when the node stops before
   * @param incarnations by partition, the incarnation that the newest claim has begun, if known;
   *     for any thread
   */
  record Around(
      Consumer<Runnable> catchUp,
      RowSessions.Rows rows,
      IntFunction<Optional<Long>> incarnations,
      LongSupplier nanos,
      Executor control) {}

  private record Led(RowSessions sessions, CatalogEpoch epoch) {}

  LedSessions(Catalog catalog, Around around) {
    this.catalog = catalog;
    this.records = catalog.rowSessions();
    this.around = around;
  }

  /**
   * Leads the catalog, and owns the sessions in a new epoch. All leases begin when the epoch is
   * stored: the node that owned the sessions before answers no renewal that comes later.
   */
  LedStore.Holder with(LedStore.Holder leadsCatalog) {
    return new LedStore.Holder() {
      @Override
      public void lead(CatalogStore opened) throws IOException {
        leadsCatalog.lead(opened);
        try {
          begin(CatalogEpoch.begin(opened));
        } catch (IOException | RuntimeException e) {
          resign();
          throw e;
        }
      }

      @Override
      public void stored(Map<String, Optional<String>> changes) {
        leadsCatalog.stored(changes);
        led.ifPresent(own -> own.sessions().adoptStored());
      }

      @Override
      public void resign() {
        leadsCatalog.resign();
        end();
      }
    };
  }

  private void begin(CatalogEpoch epoch) {
    RowSessions sessions =
        new RowSessions(records, around.rows(), around.nanos(), around.control());
    sessions.ownedBy(owners);
    led = Optional.of(new Led(sessions, epoch));
  }

  /** The catalog asks for the end of its log first, and so is caught up first. */
  private void end() {
    Optional<Led> former = led;
    led = Optional.empty();
    isCaughtUp = false;
    long own = ++resignations;
    around
        .catchUp()
        .accept(
            () -> {
              if (own == resignations) {
                isCaughtUp = true;
              }
            });
    former.ifPresent(gone -> gone.sessions().resign());
  }

  /** Whether this node's catalog has all that was stored before the look that has just ended. */
  private boolean hasRead() {
    return led.map(own -> own.epoch().isNewestIn(catalog.texts())).orElse(isCaughtUp);
  }

  @Override
  public RowSessions led() {
    return requireLed().sessions();
  }

  private Led requireLed() {
    return led.orElseThrow(LedSessions::notLed);
  }

  private static RefusedException notLed() {
    return RefusedException.notLeader("this node does not own the row sessions", Optional.empty());
  }

  /** A successor has written its epoch before it counts a lease, so a look finds the epoch. */
  @Override
  public void confirm(Runnable then, Consumer<RefusedException> refused) {
    Optional<Led> own = led;
    look(
        failure -> {
          boolean isLed =
              own.isPresent() && own.equals(led) && own.get().epoch().isNewestIn(catalog.texts());
          if (failure.isPresent() || !isLed) {
            refused.accept(failure.orElseGet(LedSessions::notLed));
          } else {
            then.run();
          }
        });
  }

  private void look(Consumer<Optional<RefusedException>> then) {
    looks.add(then, around.nanos().getAsLong());
    beginLook();
  }

  private void beginLook() {
    if (looks.begins()) {
      around.catchUp().accept(this::looked);
    }
  }

  private void looked() {
    looks.ended().forEach(then -> then.accept(Optional.empty()));
    beginLook();
  }

  @Override
  public boolean admits(int partition, SessionProof proof, String principal) {
    boolean isKnown = records.has(proof.session(), SessionProof.hash(proof.secret(), principal));
    if (!isKnown && (records.has(proof.session()) || records.hasEnded(proof.session()))) {
      throw RowSessionCore.ended(proof.session());
    }
    return isKnown
        && around
            .incarnations()
            .apply(partition)
            .filter(now -> now.equals(read.get(partition)))
            .isPresent();
  }

  @Override
  public void whenRead(int partition, long session, Consumer<Optional<RefusedException>> then) {
    Optional<Long> claimed = around.incarnations().apply(partition);
    around
        .control()
        .execute(
            () ->
                look(
                    failure -> {
                      Optional<RefusedException> refusal =
                          failure.or(
                              () -> claimed.isEmpty() || !hasRead() ? busy() : unknown(session));
                      if (refusal.isEmpty()) {
                        read.put(partition, claimed.get());
                      }
                      then.accept(refusal);
                    }));
  }

  /** Ids are counted in the catalog: an id beyond the count is of no session. */
  private Optional<RefusedException> unknown(long session) {
    return records.has(session) ? Optional.empty() : Optional.of(RowSessionCore.ended(session));
  }

  @Override
  public void ownedBy(RowSessions.Owners known) {
    owners = known;
    around.control().execute(() -> led.ifPresent(own -> own.sessions().ownedBy(owners)));
  }

  /** Ends leases, and waits that are too long; a few times a second, on the control thread. */
  void tick() {
    led.ifPresent(own -> own.sessions().tick());
    looks.late(around.nanos().getAsLong()).forEach(then -> then.accept(busy()));
  }

  private static Optional<RefusedException> busy() {
    return Optional.of(
        new RefusedException(
            ErrorCode.BUSY,
            "this node has not read the end of the catalog's log yet, or the lead of the catalog or"
                + " of the partition moves; try again"));
  }
}
