package io.tunnel.it.sim.truth;

import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** One channel in the hands of one session, as the wire shows it. */
public final class Holding {

  /** Why a holding may end before its holder has given it back. */
  public enum Reason {
    CONNECTION_LOST,
    SERVER_CRASHED,
    WORKER_DIED,
    WORKER_GAVE_UP,
    LEASE_ENDED,
    DEADLINE_PASSED,
    OPERATOR,
    HISTORY_LOST,
    RIGHTS_ENDED,
    SUPERSEDED
  }

  final Assignment assignment;
  final SimConnection connection;
  final int serverNumber;
  final Set<Reason> reasons = EnumSet.noneOf(Reason.class);

  /** What was delivered, from the position behind the assigned checkpoint on. */
  private final List<PartitionTruth.Change> delivered = new ArrayList<>();

  /** The last position of each delivery. */
  private final TreeSet<Long> deliveryEnds = new TreeSet<>();

  /** Positions that a policy decided to leave out. */
  private final Set<Long> skipped = new HashSet<>();

  private long creditReceived;
  private long creditUsed;
  private long creditSent;
  private long finished;
  private long givenFirst;
  private long givenNow;
  private boolean isBusy;
  String callback = "";
  boolean isGivenBack;

  /** When the word left that it is to be given back. */
  long revokedNanos = -1;

  /** Whether its worker's wish to attach crossed the word that it is to be given back. */
  private boolean isAttachedLate;

  /** When the server was seen to want it back. */
  long closingNanos = -1;

  long endedNanos = -1;

  Holding(Assignment assignment, SimConnection connection, int serverNumber) {
    this.assignment = assignment;
    this.connection = connection;
    this.serverNumber = serverNumber;
    this.finished = assignment.checkpointed();
    this.givenNow = finished;
  }

  long epoch() {
    return assignment.epoch();
  }

  long deliveredTo() {
    return assignment.checkpointed() + delivered.size();
  }

  PartitionTruth.Change deliveredAt(long position) {
    return delivered.get((int) (position - assignment.checkpointed()) - 1);
  }

  /** The server sends a delivery; returns what is new in it. */
  List<PartitionTruth.Change> deliver(Delivery delivery, int payloadBytes) {
    Invariant.CREDIT_CONSERVED.require(
        creditReceived > creditUsed,
        "%s: %d bytes are delivered though of %d bytes of credit %d are used",
        this,
        payloadBytes,
        creditReceived,
        creditUsed);
    creditUsed += payloadBytes;
    Invariant.NO_GAP.require(
        delivery.firstPosition() == deliveredTo() + 1,
        "%s: position %d is delivered behind %d",
        this,
        delivery.firstPosition(),
        deliveredTo());
    Invariant.NOTHING_AFTER_REVOCATION_COUNTS.require(
        revokedNanos < 0 || isAttachedLate,
        "%s: something is delivered after the channel was revoked",
        this);
    List<PartitionTruth.Change> news = new ArrayList<>();
    delivery.batches().forEach(batch -> news.addAll(PartitionTruth.changesOf(batch)));
    news.removeIf(change -> change.record().position() < delivery.firstPosition());
    long expected = deliveredTo();
    for (PartitionTruth.Change change : news) {
      expected++;
      Invariant.NO_GAP.require(
          change.record().position() == expected,
          "%s: a delivery has position %d behind %d",
          this,
          change.record().position(),
          expected - 1);
    }
    delivered.addAll(news);
    deliveryEnds.add(deliveredTo());
    return news;
  }

  /** Its worker has attached. */
  void attached() {
    isAttachedLate = revokedNanos >= 0;
  }

  boolean isCreditUsedUp() {
    return creditReceived <= creditUsed;
  }

  /** The worker says that it accepts more. */
  void creditSent(int bytes, int atOnceMax) {
    creditSent += bytes;
    Invariant.CREDIT_CONSERVED.require(
        creditSent <= atOnceMax + creditUsed,
        "%s: the worker has given %d bytes of credit, of which only %d were used; it may have %d"
            + " outstanding",
        this,
        creditSent,
        creditUsed,
        atOnceMax);
  }

  void creditReceived(int bytes) {
    creditReceived += bytes;
  }

  /** A processor is called with changes {@code first} to {@code last}. */
  void begin(long first, long last) {
    Invariant.ORDER_PER_CHANNEL.require(
        !isBusy, "%s: a callback begins at %d while another runs", this, first);
    Invariant.NO_GAP.require(
        first == next(),
        "%s: a callback begins at position %d though %s is what is next",
        this,
        first,
        next());
    Invariant.NO_GAP.require(
        last <= deliveredTo(), "%s: %d is processed before it is delivered", this, last);
    isBusy = true;
    givenFirst = first;
    givenNow = last;
  }

  /** The first position that is neither processed nor left out. */
  private long next() {
    long next = finished + 1;
    while (skipped.contains(next)) {
      next++;
    }
    return next;
  }

  /** Whether a position belongs to a delivery of which its holder has not finished all. */
  boolean isOfUnfinishedDelivery(long position) {
    Long end = deliveryEnds.ceiling(position);
    return end != null && next() <= end;
  }

  /** A policy has decided to leave out a change that alone has failed. */
  void skip(long position) {
    skipped.add(position);
  }

  boolean hasSkipped(long position) {
    return skipped.contains(position);
  }

  void failed() {
    isBusy = false;
    givenNow = finished;
  }

  /** What was begun is processed; returns the first position of it. */
  long finish() {
    isBusy = false;
    finished = givenNow;
    return givenFirst;
  }

  long finished() {
    return finished;
  }

  public boolean hasEnded() {
    return endedNanos >= 0;
  }

  /** Whether what it did may come again. */
  boolean mayRepeat() {
    return !reasons.isEmpty();
  }

  @Override
  public String toString() {
    return assignment.channelId()
        + " under epoch "
        + Ledger.epochText(assignment.epoch())
        + " of session "
        + assignment.sessionId();
  }
}
