package io.tunnel.server.node;

import static io.tunnel.server.node.LedSessionsWorld.LEASE_MS;
import static io.tunnel.server.node.LedSessionsWorld.PARTITIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.node.LedSessionsWorld.Node;
import io.tunnel.server.node.LedSessionsWorld.Partition;
import io.tunnel.server.node.LedSessionsWorld.World;
import io.tunnel.server.session.RowSessions;
import io.tunnel.wire.control.RowSessionControl;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A program that has one session at a time, as the SDK keeps it. */
final class LockProgram {
  private final World world;
  private Bytes secret = Bytes.EMPTY;

  /** 0 without a session. */
  long session;

  private long deadlineMs;
  private long askedMs = Long.MIN_VALUE / 2;
  Partition holds;
  boolean isDead;

  /** The session before, which has ended as far as the program knows. */
  private Optional<SessionProof> former = Optional.empty();

  LockProgram(World world) {
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
