package io.tunnel.it.sim.rights;

import io.tunnel.it.sim.machine.PassingTap;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimKeys;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimSocket;
import io.tunnel.it.sim.rights.Subject.Standing;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Operation.Right;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Sees every frame of a closed world, and knows what was taken from whom: what was taken is used no
 * more, and nobody else is refused. What the frames mean otherwise, another tap knows.
 */
public final class RightsTruth extends PassingTap {

  /** A server reads for two seconds from a client that it has told why it leaves. */
  private static final long FAREWELL_NANOS = TimeUnit.MILLISECONDS.toNanos(2_100);

  /** What is given back sooner may be back when a connection looks. */
  private static final long BRIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Set<ErrorCode> OF_RIGHTS =
      EnumSet.of(
          ErrorCode.NOT_AUTHENTICATED,
          ErrorCode.NOT_PERMITTED,
          ErrorCode.TABLE_NOT_FOUND,
          ErrorCode.TUNNEL_NOT_FOUND);

  private final Servers servers;
  private final TreeMap<String, Subject> subjects = new TreeMap<>();
  private final Map<SimConnection, Link> links = new LinkedHashMap<>();

  /** Where what was taken is decided. */
  public interface Servers {
    /** The time of the world. */
    long nowNanos();

    /** The keys with which clients come. */
    SimKeys keys();

    /** What the server knows of rights; empty when it is gone. */
    Optional<SecuritySnapshot> rights(SimProcess server);

    /** Whether what was acknowledged is known wherever it is asked for, and at once. */
    boolean isAlone();

    /** A request was refused because of what was taken. */
    void refused();

    /** A connection was ended because of what was taken. */
    void ended(SimConnection connection);

    /** A client came with a key that has another secret by now, and was let in or refused. */
    void cameWithFormer(boolean isLetIn);
  }

  /** A connection of a principal. */
  private static final class Link {
    private final Subject subject;
    private final AccessKey key;
    private final Map<Integer, Asked> asked = new HashMap<>();
    private final Set<Right> held = EnumSet.noneOf(Right.class);
    private boolean isEntered;

    /** Whether the server ever knew, since this was opened, that its client may not go on. */
    private boolean hasLacked;

    /** Number of times that the server came to know, since then, that its client may not go on. */
    private long lapses;

    /** When the server came to know that it must end; negative when it may go on. */
    private long lackingNanos = -1;

    Link(Subject subject, AccessKey key) {
      this.subject = subject;
      this.key = key;
    }

    /** A key that is known may have another secret by now, which is told by its acknowledgement. */
    boolean isLacking(SecuritySnapshot known, boolean isAlone) {
      return isEntered
          && (!Subject.isKnown(key, known)
              || (isAlone && subject.isDead(key))
              || held.stream().anyMatch(right -> !subject.isGranted(right, known)));
    }
  }

  /**
   * A request, with the state at its sending: at its reading, it may have waited for the server's
   * thread since before a revocation.
   *
   * @param taken the needed right, if it was revoked
   * @param isSure whether no right of the principal was ever revoked
   * @param changes number of changes to the principal by then
   * @param lapses those of the connection by then
   */
  private record Asked(
      Operation operation, Optional<String> taken, boolean isSure, long changes, long lapses) {}

  /** Passes everything on. */
  public RightsTruth(SimNetwork.Tap next, Servers servers) {
    super(next);
    this.servers = servers;
  }

  void subject(Subject subject) {
    subjects.put(subject.principal.name(), subject);
  }

  private Optional<Link> link(SimConnection connection) {
    Link known = links.get(connection);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<Link> made =
        servers
            .keys()
            .who(connection.client())
            .filter(came -> subjects.containsKey(came.principal()))
            .map(came -> new Link(subjects.get(came.principal()), came.key()));
    made.ifPresent(
        link -> {
          link.hasLacked = known(connection).filter(now -> isGiven(link, now)).isEmpty();
          links.put(connection, link);
        });
    return made;
  }

  private static SimProcess server(SimConnection connection) {
    return connection.server().loop().thread().process();
  }

  private Optional<SecuritySnapshot> known(SimConnection connection) {
    return servers.rights(server(connection));
  }

  /** A server has come to know other rights. */
  public void noted(SimProcess server, SecuritySnapshot known) {
    links.keySet().removeIf(each -> each.isCut() || !server(each).isAlive());
    links.forEach(
        (connection, link) -> {
          if (server(connection) == server) {
            if (!isGiven(link, known)) {
              link.hasLacked = true;
              link.lapses++;
            }
            look(link, known);
          }
        });
  }

  private void look(Link link, SecuritySnapshot known) {
    long nowNanos = servers.nowNanos();
    boolean isLacking = link.isLacking(known, servers.isAlone());
    if (isLacking && link.lackingNanos < 0) {
      link.lackingNanos = nowNanos;
    } else if (!isLacking && nowNanos - link.lackingNanos < BRIEF_NANOS) {
      link.lackingNanos = -1;
    }
  }

  /** That was acknowledged: it is so for all connections. */
  void acknowledged() {
    if (servers.isAlone()) {
      links.forEach((connection, link) -> known(connection).ifPresent(known -> look(link, known)));
    }
  }

  /** The server does nothing for so long. */
  public void paused(SimProcess server, long nanos) {
    links.forEach(
        (connection, link) -> {
          if (server(connection) == server && link.lackingNanos >= 0) {
            link.lackingNanos = Math.max(link.lackingNanos, servers.nowNanos() + nanos);
          }
        });
  }

  private void asked(SimConnection connection, Link link, Frame frame) {
    Subject subject = link.subject;
    Right needed = frame.operation().right();
    Optional<SecuritySnapshot> known = known(connection);
    Optional<String> taken = subject.taken(needed, link.key, one -> isFollowed(known, one));
    boolean isSure =
        subject.standing() == Standing.GRANTED
            && subject.isLiving(link.key)
            && (servers.isAlone() || known.filter(one -> isGiven(link, one)).isPresent());
    link.asked.put(
        frame.correlationId(),
        new Asked(frame.operation(), taken, isSure, subject.changes(), link.lapses));
  }

  /** Whether what was taken is taken at the server, too, which may not have read it yet. */
  private boolean isFollowed(
      Optional<SecuritySnapshot> known, Predicate<SecuritySnapshot> isTaken) {
    return servers.isAlone() || known.filter(isTaken).isPresent();
  }

  private static boolean isGiven(Link link, SecuritySnapshot known) {
    Subject subject = link.subject;
    return Subject.isKnown(link.key, known)
        && (subject.right == Right.SERVER || subject.isGranted(subject.right, known));
  }

  @Override
  public void sent(SimConnection connection, SimSocket from, Frame frame) {
    if (connection.isServer(from)) {
      link(connection).ifPresent(link -> sent(connection, link, frame));
    } else if (frame.kind() == FrameKind.REQUEST) {
      link(connection).ifPresent(link -> asked(connection, link, frame));
    }
    super.sent(connection, from, frame);
  }

  private void sent(SimConnection connection, Link link, Frame frame) {
    long lastNanos = frame.operation() == Operation.DELIVER ? BRIEF_NANOS : FAREWELL_NANOS;
    Invariant.RIGHTS_HOLD.require(
        link.lackingNanos < 0 || servers.nowNanos() - link.lackingNanos < lastNanos,
        "%s of %s goes on with %s, though what it needs was taken %d ms ago",
        connection,
        link.subject,
        frame.operation(),
        TimeUnit.NANOSECONDS.toMillis(servers.nowNanos() - link.lackingNanos));
    if (frame.kind() == FrameKind.RESPONSE) {
      Optional.ofNullable(link.asked.remove(frame.correlationId()))
          .ifPresent(asked -> answered(connection, link, asked, frame));
    } else if (frame.kind() == FrameKind.ERROR) {
      refused(connection, link, frame);
    }
  }

  private void answered(SimConnection connection, Link link, Asked asked, Frame frame) {
    boolean isGreeting =
        asked.operation() == Operation.HELLO
            || (asked.operation() == Operation.AUTHENTICATE
                && Authentication.Answer.decode(frame.payload())
                    instanceof Authentication.Challenge);
    if (isGreeting) {
      return;
    }
    Invariant.RIGHTS_HOLD.require(
        asked.taken().isEmpty() || asked.changes() != link.subject.changes(),
        "%s of %s was asked for when %s was taken, and was done",
        asked.operation(),
        link.subject,
        asked.taken().orElse(""));
    switch (asked.operation()) {
      case AUTHENTICATE -> {
        link.isEntered = true;
        if (link.subject.isFormer(link.key)) {
          servers.cameWithFormer(true);
        }
      }
      case OPEN_SESSION, READ_PARTITION -> link.held.add(asked.operation().right());
      default -> {
        // Nothing goes on behind its answer.
      }
    }
    known(connection).ifPresent(known -> look(link, known));
  }

  private void refused(SimConnection connection, Link link, Frame frame) {
    ErrorPayload error = ErrorPayload.decode(frame.payload());
    Asked asked = link.asked.remove(frame.correlationId());
    boolean isSlow = asked == null && !link.isEntered;
    if (!OF_RIGHTS.contains(error.code()) || isSlow) {
      return;
    }
    boolean isSure = asked == null ? isSure(link) : asked.isSure() && !hasLapsed(link, asked);
    boolean isOfRights =
        error.code() == ErrorCode.NOT_AUTHENTICATED
            || error.code() == ErrorCode.NOT_PERMITTED
            || isOfHiddenTable(asked, error.code());
    Invariant.RIGHTS_HOLD.require(
        !isOfRights || !isSure || (asked != null && asked.changes() != link.subject.changes()),
        "%s is refused %s as %s, and nothing was taken from it: %s",
        link.subject,
        asked == null ? connection : asked.operation(),
        error.code(),
        error.message());
    if (isOfRights) {
      servers.refused();
      if (error.code() == ErrorCode.NOT_AUTHENTICATED && link.subject.isFormer(link.key)) {
        servers.cameWithFormer(false);
      }
    }
    if (asked == null) {
      servers.ended(connection);
    }
  }

  /**
   * Whether the server came to know of a revocation after the request was sent. A node that stood
   * still reads an old revocation before it reads that the right was given back.
   */
  private boolean hasLapsed(Link link, Asked asked) {
    return !servers.isAlone() && link.lapses > asked.lapses();
  }

  /** In clusters no table is dropped; one that may not be seen is said not to be there. */
  private boolean isOfHiddenTable(Asked asked, ErrorCode code) {
    return code == ErrorCode.TABLE_NOT_FOUND
        && !servers.isAlone()
        && asked != null
        && asked.operation() == Operation.READ_PARTITION;
  }

  /** Requires the final rights of a server that has read the whole catalog. */
  public void requireKnown(SecuritySnapshot known, Object server) {
    subjects.values().forEach(subject -> subject.requireKnown(known, server));
  }

  /** Whether a connection has no reason to be ended because of rights. */
  private boolean isSure(Link link) {
    Subject subject = link.subject;
    boolean isSettled =
        servers.isAlone() && servers.nowNanos() - subject.changedNanos() > FAREWELL_NANOS;
    boolean isUntouched =
        subject.standing() == Standing.GRANTED
            && subject.isLiving(link.key)
            && (subject.changes() == 0 || isSettled);
    return isUntouched || (!servers.isAlone() && !link.hasLacked);
  }

  @Override
  public void closed(SimConnection connection, SimSocket by) {
    Link link = links.get(connection);
    if (link != null && connection.isServer(by)) {
      if (link.lackingNanos >= 0) {
        servers.ended(connection);
      }
      link.asked.clear();
    }
    super.closed(connection, by);
  }
}
