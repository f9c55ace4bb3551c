package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RefusalsTest {

  private final Refusals refusals = new Refusals(ClusterView.none());

  @Test
  void a_failure_of_a_store_is_told_by_whether_it_may_pass() {
    assertThat(refusals.of(new StoreUnavailableException("later")))
        .hasMessage("later")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    UnknownOutcomeException unknown = new UnknownOutcomeException("perhaps", new IOException());
    for (Operation operation :
        List.of(
            Operation.CREATE_TABLE,
            Operation.DROP_TABLE,
            Operation.CREATE_TUNNEL,
            Operation.DELETE_TUNNEL,
            Operation.SEEK)) {
      assertThat(refusals.of(request(operation), unknown))
          .hasMessageContaining("perhaps")
          .extracting(RefusedException::code, RefusedException::retriable)
          .containsExactly(ErrorCode.STORAGE_FAILED, false);
    }
    assertThat(refusals.ofCatalog(request(Operation.CREATE_TABLE), unknown).retriable()).isFalse();
    for (Operation operation : List.of(Operation.CHECKPOINT, Operation.RELEASE, Operation.PAUSE)) {
      assertThat(refusals.of(request(operation), unknown).code())
          .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    }
    assertThat(refusals.of(new FencedStoreException("other", new IOException())))
        .hasMessage("other")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusals.of(new IOException("disk")))
        .hasMessage("disk")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.STORAGE_FAILED);
  }

  private static Frame request(Operation operation) {
    return new Frame(operation, FrameKind.REQUEST, 1, new byte[0]);
  }

  @Test
  void who_can_ask_again_under_an_id_is_told_so() {
    byte[] named = Json.encode(new TableName("t"), "id-1");
    UnknownOutcomeException unknown = new UnknownOutcomeException("perhaps", new IOException());
    Frame drop = new Frame(Operation.DROP_TABLE, FrameKind.REQUEST, 1, named);
    assertThat(refusals.ofCatalog(drop, unknown))
        .hasMessageContaining("same request id")
        .extracting(RefusedException::code, RefusedException::retriable)
        .containsExactly(ErrorCode.OUTCOME_UNKNOWN, false);
  }
}
