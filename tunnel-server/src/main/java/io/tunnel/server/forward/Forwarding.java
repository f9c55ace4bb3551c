package io.tunnel.server.forward;

import io.tunnel.model.RefusedException;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Voucher;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Sends one request for a principal to the node that can answer, and returns the answer. For any
 * thread.
 */
public interface Forwarding extends AutoCloseable {

  /** How often one request follows NOT_LEADER to the named leader. */
  int HOPS_MAX = 3;

  /**
   * Sends a request. Repeats nothing: only after NOT_LEADER, by which a node says that it did
   * nothing, the request goes to the leader that NOT_LEADER names, at most {@value #HOPS_MAX}
   * times.
   *
   * @param who the principal whose rights and quotas the answering node applies
   * @param node the name of the node that must answer, which is not left after NOT_LEADER; empty
   *     for this server first
   * @param payload payload of the request, as docs/reference/protocol.md describes it; must not
   *     change any more
   * @param deadline how long the answer may take in all; at most 30 s count
   * @return completes with the payload of the answer, or fails with {@link RefusedException}, the
   *     refusal of the answering node, or BUSY when too many requests or bytes are open here; or
   *     with {@link ForwardException} when no answer came. The thread that completes it is the
   *     forwarding thread, and must not wait
   * @throws IllegalArgumentException when the operation belongs to a client's own connection, such
   *     as those of sessions
   */
  CompletableFuture<byte[]> ask(
      OnBehalf who, Optional<String> node, Operation operation, byte[] payload, Duration deadline);

  /**
   * Reads changes of a partition without a tunnel: opens a reading at the leader, and ends the
   * reading after its first delivery. Nothing is stored of it; a later reading goes on behind the
   * last position that the caller kept.
   *
   * @param from the position to start behind, and what the caller knows of it
   * @param bytes bytes of changes that the node may send; a larger batch comes whole
   * @param patience how long to wait for changes after the node has opened the reading
   * @return completes with the first delivery, or without one when no change came; fails as {@link
   *     #ask}, and with the refusal by which the node ended the reading
   */
  CompletableFuture<Changes> read(OnBehalf who, ReadPartition from, int bytes, Duration patience);

  /** Ends all connections; open requests fail with {@link ForwardException}. Idempotent. */
  @Override
  void close();

  /**
   * The author of a request.
   *
   * @param principal empty on a server without authentication
   * @param address the author's IP address without a port, for the audit log, see {@link
   *     Voucher#requireAddress}
   */
  record OnBehalf(Optional<Principal> principal, String address) {

    /** Refuses texts that are no IP address. */
    public OnBehalf {
      Objects.requireNonNull(principal, "principal");
      Voucher.requireAddress(address);
    }
  }

  /**
   * What a reading got.
   *
   * @param incarnation of the changes and of the position that the reading began behind, if known
   * @param settled no change follows up to this position; empty if the node did not say so
   * @param delivery empty when no change came
   */
  record Changes(Optional<Long> incarnation, OptionalLong settled, Optional<Delivery> delivery) {}
}
