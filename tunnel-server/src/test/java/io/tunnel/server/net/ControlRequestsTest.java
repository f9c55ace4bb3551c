package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.FencedStoreException;
import io.tunnel.server.catalog.StoreUnavailableException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class ControlRequestsTest {

  @Test
  void aFailureOfAStoreIsToldByWhetherItMayPass() {
    assertThat(ControlRequests.refusal(new StoreUnavailableException("later")))
        .hasMessage("later")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(ControlRequests.refusal(new FencedStoreException("other", new IOException())))
        .hasMessage("other")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(ControlRequests.refusal(new IOException("disk")))
        .hasMessage("disk")
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.STORAGE_FAILED);
  }
}
