package io.tunnel.server.net;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.Unit;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.RequestId;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates failures into answers for clients: refusals pass unchanged, malformed payloads and
 * failed disks have codes of their own, and every other failure is INTERNAL and logged. A node of a
 * cluster adds the address of the leader.
 */
final class Refusals {

  private static final Logger LOGGER = LoggerFactory.getLogger(Refusals.class);

  private final ClusterView view;

  /** Receives the reason of each refusal of a payload that no client may send. */
  private final Consumer<String> malformed;

  Refusals(ClusterView view) {
    this(view, unused -> {});
  }

  Refusals(ClusterView view, Consumer<String> malformed) {
    this.view = view;
    this.malformed = malformed;
  }

  /** The answer for a failed request that changes tables. */
  RefusedException ofCatalog(Frame request, Exception failure) {
    return routed(of(request, failure), Unit.CATALOG, "the catalog");
  }

  /**
   * The answer for a request that may have been applied although it failed: a retriable code would
   * promise that a retry is safe, so a request with an id is told to retry with the same id.
   */
  RefusedException of(Frame request, Exception failure) {
    if (!(failure instanceof UnknownOutcomeException)) {
      return of(failure);
    }
    if (request.operation().repeat().isFree()) {
      return new RefusedException(ErrorCode.LOG_UNAVAILABLE, failure.getMessage());
    }
    return RequestId.in(request.payload()).requestId().isPresent()
        ? new RefusedException(
            ErrorCode.OUTCOME_UNKNOWN,
            failure.getMessage() + "; ask again with the same request id")
        : of(failure);
  }

  /**
   * The refusal in place of an answer that is too long for a frame, which would make the client
   * close the connection.
   */
  static RefusedException tooLong(Frame request, int answerBytes) {
    return new RefusedException(
        ErrorCode.LIMIT_REACHED,
        "the answer has "
            + answerBytes
            + " bytes, and "
            + Frame.PAYLOAD_BYTES_MAX
            + " are sent at most; "
            + (request.operation().repeat() == Operation.Repeat.FREELY
                ? "ask for less, such as one table or one subject"
                : "the request was carried out"));
  }

  /** The answer for a failed request about a partition. */
  RefusedException ofPartition(Exception failure, int partition) {
    return routed(of(failure), partition, "partition " + partition);
  }

  /** The answer for any other failed request. */
  RefusedException of(Exception failure) {
    if (failure instanceof RefusedException refused) {
      // Only the leader of the catalog can say that a table does not exist.
      return refused.code() == ErrorCode.TABLE_NOT_FOUND && !view.leadsCatalog()
          ? view.notLeader(Unit.CATALOG, "the catalog, which may know of the table,")
          : refused;
    }
    if (failure instanceof NewerFormatException newer) {
      return ofNewer(newer);
    }
    if (failure instanceof MalformedException found) {
      malformed.accept(found.getMessage());
      return new RefusedException(found.code(), found.getMessage());
    }
    if (failure instanceof IllegalArgumentException) {
      malformed.accept(failure.getMessage());
      return new RefusedException(ErrorCode.INVALID_REQUEST, failure.getMessage());
    }
    if (failure instanceof UnknownOutcomeException) {
      return new RefusedException(
          ErrorCode.STORAGE_FAILED, failure.getMessage() + "; look before you try again");
    }
    if (failure instanceof StoreUnavailableException) {
      return new RefusedException(ErrorCode.LOG_UNAVAILABLE, failure.getMessage());
    }
    if (failure instanceof FencedStoreException) {
      return RefusedException.notLeader(failure.getMessage(), Optional.empty());
    }
    if (failure instanceof IOException) {
      return new RefusedException(ErrorCode.STORAGE_FAILED, failure.getMessage());
    }
    LOGGER.error("a request failed", failure);
    return new RefusedException(ErrorCode.INTERNAL, "the server failed: " + failure);
  }

  /**
   * Names the feature, the level and the nodes that lack the feature, as a node does that knows the
   * feature: a client gets one answer from old and new nodes.
   */
  private RefusedException ofNewer(NewerFormatException newer) {
    try {
      newer.feature().ifPresent(feature -> view.levels().require(feature));
    } catch (RefusedException e) {
      return e;
    }
    return new RefusedException(newer.code(), newer.getMessage());
  }

  private RefusedException routed(RefusedException refused, int unit, String what) {
    return refused.code() == ErrorCode.NOT_LEADER && refused.leader().isEmpty()
        ? view.notLeader(unit, what)
        : refused;
  }
}
