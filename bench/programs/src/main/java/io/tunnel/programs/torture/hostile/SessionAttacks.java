package io.tunnel.programs.torture.hostile;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Attacks of a principal that knows all ids and epochs of a foreign session. The monitor of the
 * scene lets one session at a time hold the only channel of the victim.
 */
final class SessionAttacks {

  private static final List<Operation> ON_SESSIONS =
      List.of(
          Operation.HEARTBEAT,
          Operation.CLOSE_SESSION,
          Operation.RELEASE,
          Operation.CHECKPOINT,
          Operation.CHECKPOINT_SKIPPING,
          Operation.STOP_CHANNEL,
          Operation.END_SESSION);

  private static final int GRANT_BYTES = 32;

  /** The server says so of a session whose heartbeats came too late. */
  private static final String LEASE_ENDED = "its lease ran out";

  private SessionAttacks() {}

  /** The tunnel's only channel, as its session has it. */
  private record Held(Named named, Assignment assignment) {}

  private static Held open(RawConnection connection, Named named) throws IOException {
    byte[] request = Payloads.of(Operation.OPEN_SESSION, named).orElseThrow();
    SessionOpened opened =
        Json.decode(connection.request(Operation.OPEN_SESSION, request), SessionOpened.class);
    Assignment assignment =
        Json.decode(connection.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
    return new Held(
        new Named(
            named.table(),
            named.tunnel(),
            named.tableId(),
            named.partition(),
            named.tunnelId(),
            opened.sessionId(),
            assignment.handle(),
            assignment.epoch(),
            named.keyId(),
            named.tokenId(),
            named.principal()),
        assignment);
  }

  /**
   * Throws when somebody else has ended what the session held, by the words of the server: the
   * pushed frames and the answer to a heartbeat.
   *
   * @throws IOException when the lease of the session ran out, because this machine is too slow
   */
  static void requireUndisturbed(RawConnection owner, Named held) throws IOException {
    byte[] heartbeat = Payloads.of(Operation.HEARTBEAT, held).orElseThrow();
    Frame answer = owner.ask(Operation.HEARTBEAT.code(), heartbeat);
    List<Frame> pushed =
        owner.pushed().stream().filter(frame -> frame.operation() != Operation.ASSIGN).toList();
    Optional<SessionEnd> end =
        pushed.stream()
            .filter(frame -> frame.operation() == Operation.SESSION_END)
            .map(frame -> Json.decode(frame.payload(), SessionEnd.class))
            .findFirst();
    if (end.isPresent() && end.get().reason().contains(LEASE_ENDED)) {
      throw new IOException("this machine is too slow for the lease: " + end.get().reason());
    }
    if (!pushed.isEmpty() || answer.kind() == FrameKind.ERROR) {
      throw new HoleException(
          "a session lost what it held: "
              + end.map(SessionEnd::reason).orElseGet(() -> "the server pushed " + pushed)
              + (answer.kind() == FrameKind.ERROR ? ", " + RawConnection.errorOf(answer) : ""));
    }
  }

  static void foreignSession(Scene scene, SplittableRandom random) throws IOException {
    synchronized (scene) {
      try (RawConnection owner = RawConnection.of(scene.target(), scene.owner());
          RawConnection intruder = RawConnection.of(scene.target(), scene.intruder())) {
        Held held = open(owner, scene.victim());
        for (int i = random.nextInt(1, 9); i > 0; i--) {
          Operation operation = ON_SESSIONS.get(random.nextInt(ON_SESSIONS.size()));
          requireRefused(intruder, operation, held.named());
        }
        // Granted to everybody, because a channel that is not attached to is detached already.
        var unused =
            intruder.ask(
                Operation.DETACH.code(), Payloads.of(Operation.DETACH, held.named()).orElseThrow());
        intruder.push(Operation.CREDIT, Payloads.of(Operation.CREDIT, held.named()).orElseThrow());
        intruder.push(
            Operation.LIMIT,
            new ChannelEnd(held.named().handle(), held.named().epoch(), 0).encode());
        requireUndisturbed(owner, held.named());
        close(owner, held);
      }
    }
  }

  private static void requireRefused(RawConnection intruder, Operation operation, Named held)
      throws IOException {
    var unused = intruder.refused(operation, Payloads.of(operation, held).orElseThrow());
  }

  private static void close(RawConnection owner, Held held) throws IOException {
    byte[] close = Payloads.of(Operation.CLOSE_SESSION, held.named()).orElseThrow();
    var unused = owner.request(Operation.CLOSE_SESSION, close);
  }

  static void forgedAttachment(Scene scene, SplittableRandom random) throws IOException {
    synchronized (scene) {
      try (RawConnection owner = RawConnection.of(scene.target(), scene.owner());
          RawConnection intruder = RawConnection.of(scene.target(), scene.intruder())) {
        Held held = open(owner, scene.victim());
        Bytes seen = held.assignment().grant();
        Named later = withEpoch(held.named(), held.named().epoch() + random.nextInt(1, 1_000));
        requireNoAttachment(intruder, held.named(), seen);
        requireNoAttachment(intruder, later, seen);
        requireNoAttachment(intruder, later, Bytes.EMPTY);
        requireNoAttachment(intruder, later, chance(random));
        // The lair is the intruder's own, and still no epoch of it is for anybody to make up.
        Named own = withEpoch(scene.lair(), random.nextLong(1, 1_000));
        requireNoAttachment(intruder, own, Bytes.EMPTY);
        requireNoAttachment(intruder, own, chance(random));
        requireNoAttachment(intruder, own, seen);
        // Not even the owner may say a later epoch than it was given.
        requireNoAttachment(owner, later, seen);
        requireUndisturbed(owner, held.named());
        close(owner, held);
      }
    }
  }

  /** Keeps the grants of a session that is closed, and of a tunnel that is deleted. */
  static void keptGrant(Scene scene, SplittableRandom random) throws IOException {
    synchronized (scene) {
      try (RawConnection owner = RawConnection.of(scene.target(), scene.owner());
          RawConnection other = RawConnection.of(scene.target(), scene.owner())) {
        Named tunnel = create(owner, scene.victim(), Scene.KEPT + random.nextInt(1 << 20));
        Held closed = open(owner, tunnel);
        close(owner, closed);
        // A node that delivers knows no sessions: in a cluster a grant counts until it expires.
        boolean isAlone =
            owner.ask(Operation.DESCRIBE_CLUSTER.code(), new byte[0]).kind() == FrameKind.ERROR;
        if (isAlone) {
          requireNoAttachment(owner, closed);
          requireNoAttachment(other, closed);
        }
        Held deleted = open(owner, tunnel);
        var unused =
            owner.request(
                Operation.DELETE_TUNNEL,
                Payloads.of(Operation.DELETE_TUNNEL, tunnel).orElseThrow());
        if (isAlone) {
          for (RawConnection connection : List.of(owner, other)) {
            requireNoAttachment(connection, deleted);
            requireNoAttachment(connection, closed);
          }
        }
      }
    }
  }

  private static Named create(RawConnection owner, Named victim, String tunnel) throws IOException {
    Control.TunnelInfo created =
        owner.request(
            Operation.CREATE_TUNNEL,
            new Control.CreateTunnel(
                victim.table(), tunnel, TunnelType.Stream, StreamStart.EARLIEST),
            Control.TunnelInfo.class);
    return new Named(
        victim.table(),
        tunnel,
        victim.tableId(),
        victim.partition(),
        created.tunnelId(),
        victim.sessionId(),
        victim.handle(),
        victim.epoch(),
        victim.keyId(),
        victim.tokenId(),
        victim.principal());
  }

  /**
   * Also BUSY refuses: the server answers so until the session has heard that it lost the channel.
   */
  private static void requireNoAttachment(RawConnection connection, Held held) throws IOException {
    var unused =
        connection.refused(
            Operation.ATTACH,
            Json.encode(Payloads.attach(held.named(), held.assignment().grant())));
  }

  private static Named withEpoch(Named named, long epoch) {
    return new Named(
        named.table(),
        named.tunnel(),
        named.tableId(),
        named.partition(),
        named.tunnelId(),
        named.sessionId(),
        named.handle(),
        epoch,
        named.keyId(),
        named.tokenId(),
        named.principal());
  }

  private static Bytes chance(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(GRANT_BYTES + 1)];
    random.nextBytes(bytes);
    return Bytes.copyOf(bytes);
  }

  private static void requireNoAttachment(RawConnection connection, Named named, Bytes grant)
      throws IOException {
    ErrorPayload error =
        connection.refused(Operation.ATTACH, Json.encode(Payloads.attach(named, grant)));
    if (error.code() == ErrorCode.BUSY) {
      throw new IOException("the server has no time: " + error.message());
    }
  }
}
