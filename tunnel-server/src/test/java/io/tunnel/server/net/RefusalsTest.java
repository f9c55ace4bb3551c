package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.FencedStoreException;
import io.tunnel.server.catalog.StoreUnavailableException;
import io.tunnel.server.cluster.ClusterView;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class RefusalsTest {

  private final Refusals refusals = new Refusals(ClusterView.none());

  @Test
  void aFailureOfAStoreIsToldByWhetherItMayPass() {
    assertThat(refusals.of(new StoreUnavailableException("later")))
        .hasMessage("later")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(refusals.of(new FencedStoreException("other", new IOException())))
        .hasMessage("other")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusals.of(new IOException("disk")))
        .hasMessage("disk")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.STORAGE_FAILED);
  }
}
