package io.tunnel.server.forward;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.forward.ForwardException.Reason;
import io.tunnel.server.forward.ForwardMeter.Outcome;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.access.Gate.Vouched;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Voucher;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Forwards requests over connections of the native protocol: one for each principal, address, node
 * and {@link Lane}. A request for this server itself takes the server's own door ({@link
 * NetServer#self}), so that a server whose places are taken still answers.
 *
 * <p>One thread owns all connections. Callers count their request under the monitor of the core
 * before they hand it to that thread, so the thread's queue is bounded, too.
 */
public final class Forwarder implements Forwarding {

  /** Connections to all nodes. */
  static final int LINKS_MAX = 64;

  /** The longest deadline: an answer comes before the voucher of its connection ends. */
  static final long DEADLINE_MS_MAX = 30_000;

  /** How long a connection takes new requests after its voucher was made. */
  static final long LINK_MS_MAX = Voucher.LIFE_MS - DEADLINE_MS_MAX;

  /** How long a connection without requests stays open. */
  static final long IDLE_MS_MAX = 60_000;

  private static final long ENTRANCE_MS_MAX = 5_000;
  private static final long LOOK_MS = 5_000;
  private static final String SELF = "this server";

  private final Self self;
  private final ClusterView cluster;
  private final NetServer.Door door;
  private final Machine machine;
  private final ForwardMeter meter;
  private final EventLoopGroup threads;

  /** The thread that owns the links. */
  private final EventLoop owner;

  private final Dialer dialer;
  private final LinkOwner links = new LinkOwner();

  /** The monitor of the core guards the core; no other object is called under it. */
  private final ForwardCore core = new ForwardCore();

  /** Links that take requests, the least recently used first. */
  private final Map<Key, Taking> taking = new LinkedHashMap<>(16, 0.75f, true);

  /** Links that take no more requests and wait for answers. */
  private final Set<Link> retired = new LinkedHashSet<>();

  private boolean isClosed;

  /**
   * This server.
   *
   * @param name name of the node; {@code server} for a server that is no node
   * @param door where the server reaches itself
   */
  public record Self(String name, NetServer.Self door) {}

  /**
   * What forwarding needs of the machine.
   *
   * @param chance makes that number of unpredictable bytes
   * @param nanos a clock that never goes back
   */
  public record Machine(IntFunction<Bytes> chance, LongSupplier nanos, HostNames.Lookup lookup) {

    /** With the system's look-up of host names. */
    public Machine(IntFunction<Bytes> chance, LongSupplier nanos) {
      this(chance, nanos, InetAddress::getByName);
    }
  }

  /**
   * What open requests hold.
   *
   * @param requests open requests
   * @param bytes of their payloads and arriving answers
   */
  public record Held(int requests, long bytes) {}

  /**
   * What a link carries. Requests of one lane neither wait behind nor end with those of another.
   */
  private enum Lane {
    /** A node ends the link when the right to read is withdrawn. */
    READINGS,
    /** Asked every second; an answer that is late ends the use of the link. */
    FIGURES,
    OPERATIONS;

    static Lane of(Ask ask) {
      if (ask.reading.isPresent()) {
        return READINGS;
      }
      return ask.operation == Operation.DESCRIBE_NODE ? FIGURES : OPERATIONS;
    }
  }

  /**
   * @param node HOST:PORT of a node, or {@link #SELF}
   */
  private record Key(Optional<Principal> principal, String address, String node, Lane lane) {}

  private static final class Taking {
    private final Link link;
    private final long takesUntilNanos;
    private long usedNanos;

    private Taking(Link link, long takesUntilNanos, long usedNanos) {
      this.link = link;
      this.takesUntilNanos = takesUntilNanos;
      this.usedNanos = usedNanos;
    }
  }

  /** Without connections. */
  public Forwarder(
      Self self, ClusterView cluster, NetServer.Door door, Machine machine, ForwardMeter meter) {
    this.self = self;
    this.cluster = cluster;
    this.door = door;
    this.machine = machine;
    this.meter = meter;
    this.threads =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("forward"), NioIoHandler.newFactory());
    this.owner = threads.next();
    this.dialer = new Dialer(self, door.tls(), new HostNames(machine.lookup()), owner);
    var unused = owner.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public CompletableFuture<byte[]> ask(
      OnBehalf who, Optional<String> node, Operation operation, byte[] payload, Duration deadline) {
    Ask.requireStateless(operation);
    long deadlineMs =
        deadline.compareTo(Duration.ofMillis(DEADLINE_MS_MAX)) < 0
            ? Math.max(0, deadline.toMillis())
            : DEADLINE_MS_MAX;
    return ask(
        () -> begun(who, operation, payload, node.isEmpty(), Optional.empty()), node, deadlineMs);
  }

  @Override
  public CompletableFuture<Changes> read(
      OnBehalf who, ReadPartition from, int bytes, Duration patience) {
    Reading reading = new Reading(bytes, patience.toMillis());
    byte[] payload = Json.encode(from);
    return ask(
            () -> begun(who, Operation.READ_PARTITION, payload, true, Optional.of(reading)),
            Optional.empty(),
            DEADLINE_MS_MAX)
        .thenApply(unused -> reading.changes());
  }

  private CompletableFuture<byte[]> ask(
      Supplier<Ask> begun, Optional<String> node, long deadlineMs) {
    Ask ask;
    try {
      ask = begun.get();
    } catch (RefusedException e) {
      return CompletableFuture.failedFuture(e);
    }
    if (!links.execute(() -> begin(ask, node, deadlineMs))) {
      fail(ask, closed(ask));
    }
    return ask.answer;
  }

  private void requireKnown(OnBehalf who) {
    if (!door.gate().isOpen() && who.principal().isEmpty()) {
      throw new RefusedException(
          ErrorCode.NOT_AUTHENTICATED, "this server asks everybody who they are; log in first");
    }
  }

  private Ask begun(
      OnBehalf who,
      Operation operation,
      byte[] payload,
      boolean isFollowing,
      Optional<Reading> reading) {
    Objects.requireNonNull(payload, "payload");
    requireKnown(who);
    String name = door.gate().isOpen() ? "" : who.principal().orElseThrow().name();
    try {
      synchronized (core) {
        long nowNanos = machine.nanos().getAsLong();
        ForwardCore.Open open = core.begin(name, payload.length, reading.isPresent(), nowNanos);
        return new Ask(who, operation, payload, isFollowing, reading, open);
      }
    } catch (RefusedException e) {
      meter.ended(Outcome.BUSY, 0, 0, 0);
      throw e;
    }
  }

  private static ForwardException closed(Ask ask) {
    return new ForwardException(
        Reason.CLOSED, "no answer to " + ask + ": this server is stopping; it may be done");
  }

  private void begin(Ask ask, Optional<String> node, long deadlineMs) {
    if (isClosed) {
      fail(ask, closed(ask));
      return;
    }
    ask.timer = Optional.of(owner.schedule(() -> late(ask), deadlineMs, TimeUnit.MILLISECONDS));
    Optional<String> target = node.isEmpty() ? Optional.of(SELF) : targetOf(node.get());
    if (target.isPresent()) {
      send(ask, target.get());
    } else {
      fail(
          ask,
          new ForwardException(
              Reason.UNKNOWN_NODE,
              "cannot send "
                  + ask
                  + ": there is no node '"
                  + node.get()
                  + "' in the cluster now; nothing was done"));
    }
  }

  private Optional<String> targetOf(String node) {
    return node.equals(self.name()) ? Optional.of(SELF) : cluster.addressOf(node);
  }

  private void send(Ask ask, String node) {
    Optional<Principal> who = door.gate().isOpen() ? Optional.empty() : ask.who.principal();
    try {
      link(new Key(who, ask.who.address(), node, Lane.of(ask))).send(ask);
    } catch (RefusedException e) {
      refuse(ask, e);
    }
  }

  private Link link(Key key) {
    Taking known = taking.get(key);
    if (known != null && machine.nanos().getAsLong() - known.takesUntilNanos < 0) {
      known.usedNanos = machine.nanos().getAsLong();
      return known.link;
    }
    if (known != null) {
      retire(key, known);
    }
    makeRoom();
    return dial(key);
  }

  private void retire(Key key, Taking old) {
    boolean unused = taking.remove(key, old) && retired.add(old.link);
    old.link.retire();
  }

  /** There is always a link without requests: fewer requests are open than links. */
  private void makeRoom() {
    if (taking.size() + retired.size() >= LINKS_MAX) {
      taking.entrySet().stream()
          .filter(one -> !one.getValue().link.isBusy())
          .findFirst()
          .ifPresent(one -> retire(one.getKey(), one.getValue()));
    }
  }

  private Link dial(Key key) {
    long nowNanos = machine.nanos().getAsLong();
    Link link = new Link(key.node(), vouched(key), machine.chance().apply(32), links);
    long lifeMs = door.gate().isOpen() ? Integer.MAX_VALUE : LINK_MS_MAX;
    taking.put(key, new Taking(link, nowNanos + TimeUnit.MILLISECONDS.toNanos(lifeMs), nowNanos));
    try {
      if (key.node().equals(SELF)) {
        dialer.dialSelf(link, key.address(), why -> endSoon(link, why));
      } else {
        dialer.dial(link, key.node(), why -> endSoon(link, why));
      }
    } catch (IllegalArgumentException e) {
      endSoon(link, e);
    }
    var unused =
        owner.schedule(
            () -> {
              if (!link.isOpen()) {
                link.end("it did not let this server in within " + ENTRANCE_MS_MAX + " ms");
              }
            },
            ENTRANCE_MS_MAX,
            TimeUnit.MILLISECONDS);
    return link;
  }

  /** Ends the link behind the request for which it is made now. */
  private void endSoon(Link link, Throwable why) {
    boolean unused = links.execute(() -> link.end(String.valueOf(why.getMessage())));
  }

  private Optional<Vouched> vouched(Key key) {
    if (door.gate().isOpen()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          door.gate().vouch(key.principal().orElseThrow(), key.address(), self.name()));
    } catch (IllegalArgumentException e) {
      throw new RefusedException(ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  private final class LinkOwner implements Link.Owner {

    @Override
    public boolean execute(Runnable event) {
      try {
        owner.execute(event);
        return true;
      } catch (RejectedExecutionException e) {
        return false;
      }
    }

    @Override
    public void later(Runnable event, long ms) {
      var unused = owner.schedule(event, ms, TimeUnit.MILLISECONDS);
    }

    @Override
    public String name() {
      return self.name();
    }

    @Override
    public void answered(Ask ask, byte[] payload) {
      end(ask, Outcome.ANSWERED, payload.length);
      boolean unused = ask.answer.complete(payload);
    }

    @Override
    public void refused(Ask ask, RefusedException reason, String node) {
      Optional<String> next = Optional.empty();
      if (reason.code() == ErrorCode.NOT_LEADER && ask.isFollowing) {
        String asked = node.equals(SELF) ? cluster.address() : node;
        synchronized (core) {
          next = core.next(ask.open, asked, reason.leader());
        }
      }
      if (next.isPresent()) {
        send(ask, next.get().equals(cluster.address()) ? SELF : next.get());
      } else {
        refuse(ask, reason);
      }
    }

    @Override
    public void failed(Ask ask, ForwardException reason) {
      fail(ask, reason);
    }

    @Override
    public boolean hold(int bytesBefore, int bytesNow) {
      synchronized (core) {
        return core.hold(bytesBefore, bytesNow);
      }
    }

    @Override
    public void closed(Link link) {
      boolean unused = retired.remove(link) || taking.values().removeIf(one -> one.link == link);
    }
  }

  private void refuse(Ask ask, RefusedException reason) {
    end(ask, Outcome.REFUSED, 0);
    boolean unused = ask.answer.completeExceptionally(reason);
  }

  private void fail(Ask ask, ForwardException reason) {
    end(ask, Outcome.of(reason.reason()), 0);
    boolean unused = ask.answer.completeExceptionally(reason);
  }

  private void end(Ask ask, Outcome outcome, int answerBytes) {
    ask.timer.ifPresent(timer -> timer.cancel(false));
    boolean wasOpen;
    synchronized (core) {
      wasOpen = core.end(ask.open);
    }
    if (wasOpen) {
      long nanos = machine.nanos().getAsLong() - ask.open.sinceNanos();
      meter.ended(outcome, ask.payload.length, answerBytes, nanos);
    }
  }

  /** What open requests hold now. For any thread. */
  public Held held() {
    synchronized (core) {
      return new Held(core.open(), core.bytes());
    }
  }

  /** The deadline has passed. The connection gets no more requests: its node may hang. */
  private void late(Ask ask) {
    Optional<Link> carrier = ask.link;
    if (ask.answer.isDone() || carrier.isEmpty()) {
      return;
    }
    Link link = carrier.get();
    fail(
        ask,
        link.isOpen()
            ? new ForwardException(
                Reason.DEADLINE,
                "no answer to " + ask + " from " + link + " before its deadline; it may be done")
            : new ForwardException(
                Reason.UNREACHABLE,
                "cannot send " + ask + " to " + link + " before its deadline; nothing was done"));
    link.forget(ask);
    for (Map.Entry<Key, Taking> entry : List.copyOf(taking.entrySet())) {
      if (entry.getValue().link == link) {
        retire(entry.getKey(), entry.getValue());
      }
    }
  }

  /** Closes links that nobody uses, or whose vouchers are too old. */
  private void look() {
    long nowNanos = machine.nanos().getAsLong();
    long idleNanos = TimeUnit.MILLISECONDS.toNanos(IDLE_MS_MAX);
    for (Map.Entry<Key, Taking> entry : List.copyOf(taking.entrySet())) {
      Taking one = entry.getValue();
      boolean isIdle = !one.link.isBusy() && nowNanos - one.usedNanos >= idleNanos;
      if (isIdle || nowNanos - one.takesUntilNanos >= 0) {
        retire(entry.getKey(), one);
      }
    }
  }

  /** Open connections, for tests. */
  int linkCount() {
    return taking.size() + retired.size();
  }

  @Override
  public void close() {
    try {
      owner.submit(this::closeLinks).awaitUninterruptibly();
    } catch (RejectedExecutionException e) {
      // Closed before.
    }
    dialer.close();
    threads.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private void closeLinks() {
    isClosed = true;
    List<Link> all = new ArrayList<>(retired);
    taking.values().forEach(one -> all.add(one.link));
    all.forEach(link -> link.end("this server is stopping"));
  }
}
