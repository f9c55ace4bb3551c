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
      ForwardCore.Open open) {
    this.isFollowing = isFollowing;
    this.who = who;
    this.operation = operation;
    this.payload = payload;
    this.open = open;
  }

  @Override
  public String toString() {
    return operation.name();
  }
}
