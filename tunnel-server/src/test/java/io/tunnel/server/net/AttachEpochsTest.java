package io.tunnel.server.net;

import static io.tunnel.server.net.AttachFixture.attach;
import static io.tunnel.server.net.AttachFixture.credit;
import static io.tunnel.server.net.AttachFixture.delivered;
import static io.tunnel.server.net.AttachFixture.requireTaken;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is delivered a channel when several attach to it. */
final class AttachEpochsTest {

  @TempDir private Path directory;
  private AttachFixture at;

  @BeforeEach
  void open() throws IOException {
    at = new AttachFixture(directory);
  }

  @AfterEach
  void close() throws IOException {
    at.close();
  }

  private Attach granted(long epoch) {
    return at.granted(at.stream(epoch, 0, Optional.empty()), Optional.empty());
  }

  @Test
  void aMadeUpEpochKeepsNobodyAwayWhoHoldsTheChannel() throws IOException {
    try (RawClient stranger = at.node.client()) {
      int taken = attach(stranger, at.stream(Long.MAX_VALUE, 0, Optional.empty()));
      attach(at.worker, granted(5));
      requireTaken(stranger, taken, ErrorCode.FENCED);
      assertThat(
              stranger
                  .refused(Operation.ATTACH, at.stream(Long.MAX_VALUE, 0, Optional.empty()))
                  .code())
          .isEqualTo(ErrorCode.BUSY);
      assertThat(stranger.refused(Operation.ATTACH, at.stream(4, 0, Optional.empty())).code())
          .isEqualTo(ErrorCode.FENCED);
    }
    at.write("a");
    int next = attach(at.worker, granted(6));
    credit(at.worker, next, 6);
    requireTakenOrDelivered(next);
  }

  /** The former handle is told that it is fenced, and the new one has the change. */
  private void requireTakenOrDelivered(int next) throws IOException {
    assertThat(RawClient.error(at.worker.pushed(Operation.DELIVER)).code())
        .isEqualTo(ErrorCode.FENCED);
    assertThat(delivered(at.worker).handle()).isEqualTo(next);
  }

  @Test
  void aMadeUpEpochIsForgottenWhereSomebodyHoldsTheChannel() throws IOException {
    try (RawClient stranger = at.node.client()) {
      int handle = attach(stranger, at.stream(Long.MAX_VALUE, 0, Optional.empty()));
      stranger.granted(Operation.DETACH, new ChannelRef(handle, Long.MAX_VALUE).encode());
    }
    attach(at.worker, granted(5));
  }

  @Test
  void aGrantOfAnotherChannelOrEpochIsRefused() throws IOException {
    Attach wrong = at.stream(6, 0, Optional.empty()).withGrant(granted(5).grant());
    assertThat(at.worker.refused(Operation.ATTACH, wrong).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    Attach empty = at.stream(6, 0, Optional.empty()).withGrant(Optional.of(Bytes.EMPTY));
    assertThat(at.worker.refused(Operation.ATTACH, empty).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(at.node.attachments.count()).isZero();
  }

  @Test
  void theHighestEpochIsDeliveredAndOthersAreFencedOnWhateverConnection() throws IOException {
    at.write("a");
    try (RawClient next = at.node.client()) {
      int former = attach(at.worker, at.stream(5, 0, Optional.empty()));
      int again = attach(at.worker, at.stream(5, 0, Optional.empty()));
      assertThat(again).as("the same worker, which had lost sight").isNotEqualTo(former);
      requireTaken(at.worker, former, ErrorCode.BUSY);
      int newer = attach(next, at.stream(6, 0, Optional.empty()));
      requireTaken(at.worker, again, ErrorCode.FENCED);
      assertThat(at.worker.refused(Operation.ATTACH, at.stream(5, 0, Optional.empty())).code())
          .isEqualTo(ErrorCode.FENCED);
      next.granted(Operation.DETACH, new ChannelRef(newer, 6).encode());
      assertThat(at.worker.refused(Operation.ATTACH, at.stream(5, 0, Optional.empty())).code())
          .as("the epoch is remembered")
          .isEqualTo(ErrorCode.FENCED);
      credit(at.worker, attach(at.worker, at.stream(6, 0, Optional.empty())), 6);
      assertThat(delivered(at.worker).epoch()).isEqualTo(6);
    }
  }

  @Test
  void aLateRequestOfAnotherConnectionMayBeRepairedByAttachingAgain() throws IOException {
    at.write("a");
    try (RawClient late = at.node.client()) {
      int newer = attach(at.worker, at.stream(5, 0, Optional.empty()));
      int older = attach(late, at.stream(5, 0, Optional.empty()));
      requireTaken(at.worker, newer, ErrorCode.BUSY);
      assertThat(ErrorCode.BUSY.retriable()).isTrue();
      int again = attach(at.worker, at.stream(5, 0, Optional.empty()));
      requireTaken(late, older, ErrorCode.BUSY);
      credit(at.worker, again, 5);
      assertThat(delivered(at.worker).handle()).isEqualTo(again);
    }
    assertThat(at.node.attachments.count()).isEqualTo(1);
  }
}
