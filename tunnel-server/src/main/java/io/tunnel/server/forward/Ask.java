package io.tunnel.server.forward;

import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.wire.Operation;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** A request that waits for its answer. Belongs to the forwarding thread, except its future. */
final class Ask {

  final OnBehalf who;
  final Operation operation;
  final byte[] payload;

  /** Whether the request follows NOT_LEADER to the leader: it names no node that must answer. */
  final boolean isFollowing;

  final ForwardCore.Open open;

  /** Present when the request opens a reading, whose first delivery is the answer. */
  final Optional<Reading> reading;

  final CompletableFuture<byte[]> answer = new CompletableFuture<>();

  /** The timer of the deadline; present since the request has begun. */
  Optional<Future<?>> timer = Optional.empty();

  /** The connection that carries the request; empty before and after. */
  Optional<Link> link = Optional.empty();

  Ask(
      OnBehalf who,
      Operation operation,
      byte[] payload,
      boolean isFollowing,
      Optional<Reading> reading,
      ForwardCore.Open open) {
    this.isFollowing = isFollowing;
    this.who = who;
    this.operation = operation;
    this.payload = payload;
    this.reading = reading;
    this.open = open;
  }

  /** Refuses requests whose answers need more than one frame, or whose state is a connection's. */
  static void requireStateless(Operation operation) {
    boolean isStateless =
        switch (operation.room()) {
          case TABLES, ROWS, TUNNELS, CLUSTER, SECURITY -> true;
          case READING -> operation == Operation.FIND_POSITIONS;
          case CONNECTION, SESSIONS, DELIVERY -> false;
        };
    if (!isStateless) {
      throw new IllegalArgumentException(operation + " belongs to a client's own connection");
    }
  }

  @Override
  public String toString() {
    return operation.name();
  }
}
