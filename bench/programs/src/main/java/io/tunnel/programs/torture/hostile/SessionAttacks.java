package io.tunnel.programs.torture.hostile;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Of a principal that knows all ids and epochs of somebody else's session. The scene's monitor sees
 * to it that the victim's only channel is held by one of these sessions at a time.
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

  private static void require(RawConnection owner, Held held) throws IOException {
    byte[] heartbeat = Payloads.of(Operation.HEARTBEAT, held.named()).orElseThrow();
    var unused = owner.request(Operation.HEARTBEAT, heartbeat);
    boolean isDisturbed =
        owner.pushed().stream().anyMatch(frame -> frame.operation() != Operation.ASSIGN);
    if (isDisturbed) {
      throw new HoleException("somebody else has ended what a session held");
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
        require(owner, held);
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
        Bytes seen = held.assignment().grant().orElseThrow();
        Named later = withEpoch(held.named(), held.named().epoch() + random.nextInt(1, 1_000));
        requireNoAttachment(intruder, held.named(), Optional.of(seen));
        requireNoAttachment(intruder, later, Optional.of(seen));
        requireNoAttachment(intruder, later, Optional.empty());
        requireNoAttachment(intruder, later, Optional.of(chance(random)));
        // The lair is the intruder's own, and still no epoch of it is for anybody to make up.
        Named own = withEpoch(scene.lair(), random.nextLong(1, 1_000));
        requireNoAttachment(intruder, own, Optional.empty());
        requireNoAttachment(intruder, own, Optional.of(chance(random)));
        requireNoAttachment(intruder, own, Optional.of(seen));
        // Not even the owner may say a later epoch than it was given.
        requireNoAttachment(owner, later, Optional.of(seen));
        require(owner, held);
        close(owner, held);
      }
    }
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

  private static void requireNoAttachment(
      RawConnection connection, Named named, Optional<Bytes> grant) throws IOException {
    ErrorPayload error =
        connection.refused(Operation.ATTACH, Json.encode(Payloads.attach(named, grant)));
    if (error.code() == ErrorCode.BUSY) {
      throw new IOException("the server has no time: " + error.message());
    }
  }
}
