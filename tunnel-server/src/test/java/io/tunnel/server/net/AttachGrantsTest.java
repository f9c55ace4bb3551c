package io.tunnel.server.net;

import static io.tunnel.server.net.AttachFixture.LIFE_MS;
import static io.tunnel.server.net.AttachFixture.attach;
import static io.tunnel.server.net.AttachFixture.credit;
import static io.tunnel.server.net.AttachFixture.delivered;
import static io.tunnel.server.net.AttachFixture.requireTaken;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Renewal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who is delivered a channel when several attach to it; what a grant lets its holder read, and for
 * how long, at a node that knows no session of it.
 */
final class AttachGrantsTest {

  /** By how much clocks may differ. */
  private static final long DIFFER_MS = 10_000;

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

  private Attach granted(long epoch, long position, Terms terms) {
    return at.granted(at.stream(epoch, position, Optional.empty()), terms);
  }

  private Attach granted(long epoch) {
    return at.granted(at.stream(epoch, 0, Optional.empty()), Optional.empty());
  }

  private Terms terms(long start, Optional<Long> end, Optional<Long> endMs) {
    return new Terms("n", start, end, endMs, at.untilMs(), LIFE_MS);
  }

  private void renew(int handle, Attach newest) throws IOException {
    at.worker.push(Operation.RENEW, new Renewal(handle, newest.epoch(), newest.grant()).encode());
  }

  /** All that was pushed before was taken, since an answer comes behind it. */
  private void settle() throws IOException {
    at.worker.granted(Operation.DETACH, new ChannelRef(0, 0).encode());
  }

  private ChannelEnd end() throws IOException {
    return ChannelEnd.decode(at.worker.pushed(Operation.END_OF_CHANNEL).payload());
  }

  @Test
  void nothing_is_delivered_in_front_of_the_start_that_was_granted() throws IOException {
    at.write("a", "b", "c");
    Terms terms = terms(2, Optional.empty(), Optional.empty());
    assertThat(at.worker.refused(Operation.ATTACH, granted(5, 1, terms)).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(at.node.attachments.count()).isZero();
    credit(at.worker, attach(at.worker, granted(5, 2, terms)), 5);
    assertThat(delivered(at.worker).firstPosition()).isEqualTo(3);
  }

  @Test
  void nothing_is_delivered_behind_the_end_that_was_granted_whatever_the_client_says()
      throws IOException {
    at.write("a", "b", "c");
    Attach request = granted(5, 0, terms(0, Optional.of(2L), Optional.empty()));
    int handle = attach(at.worker, request.endingAt(Optional.of(3L), Optional.empty()));
    at.worker.push(Operation.LIMIT, new ChannelEnd(handle, 5, 3).encode());
    credit(at.worker, handle, 5);
    assertThat(delivered(at.worker).batches())
        .extracting(ChangeBatch::lastPosition)
        .containsExactly(1L, 2L);
    assertThat(end().position()).isEqualTo(2);
  }

  @Test
  void nothing_is_delivered_of_the_time_behind_the_end_and_the_end_comes_with_a_renewal()
      throws IOException {
    at.write("a");
    long endMs = at.node.clock.epochMicros() / 1_000 + 5;
    at.node.clock.pass(10);
    at.write("b");
    Attach request = granted(5, 0, terms(0, Optional.empty(), Optional.of(endMs)));
    int handle = attach(at.worker, request);
    credit(at.worker, handle, 5);
    assertThat(delivered(at.worker).batches().get(0).lastPosition()).isEqualTo(1);
    at.worker.push(Operation.LIMIT, new ChannelEnd(handle, 5, 2).encode());
    renew(handle, granted(5, 0, terms(0, Optional.of(1L), Optional.of(endMs))));
    assertThat(end().position()).as("not the one that the client says").isEqualTo(1);
  }

  @Test
  void an_attachment_ends_with_its_grant() throws IOException {
    int handle = attach(at.worker, granted(5));
    at.node.pass(LIFE_MS - 1_000);
    settle();
    assertThat(at.node.attachments.count()).isEqualTo(1);
    at.node.pass(1_001);
    requireTaken(at.worker, handle, ErrorCode.BUSY);
    assertThat(at.node.attachments.count()).isZero();
    assertThat(ErrorCode.BUSY.retriable()).as("with the next grant, of the same epoch").isTrue();
    attach(at.worker, granted(5));
  }

  @Test
  void a_renewal_lets_it_go_on_and_delivers_nothing_again() throws IOException {
    at.write("a");
    Attach older = granted(5);
    int handle = attach(at.worker, older);
    credit(at.worker, handle, 5);
    assertThat(delivered(at.worker).firstPosition()).isEqualTo(1);
    at.node.pass(LIFE_MS - 1_000);
    renew(handle, granted(5));
    renew(handle, older);
    settle();
    at.node.pass(LIFE_MS - 1_000);
    settle();
    assertThat(at.node.attachments.count()).isEqualTo(1);
    at.write("b");
    assertThat(delivered(at.worker).firstPosition()).isEqualTo(2);
    at.node.pass(1_001);
    requireTaken(at.worker, handle, ErrorCode.BUSY);
  }

  @Test
  void a_grant_that_has_ended_attaches_nothing_and_one_that_is_kept_is_no_younger()
      throws IOException {
    Attach kept = granted(5);
    at.node.pass(LIFE_MS + DIFFER_MS - 2_000);
    int handle = attach(at.worker, kept);
    at.node.pass(2_001);
    requireTaken(at.worker, handle, ErrorCode.BUSY);
    assertThat(at.worker.refused(Operation.ATTACH, kept).code()).isEqualTo(ErrorCode.BUSY);
    int next = attach(at.worker, granted(5));
    renew(next, kept);
    settle();
    assertThat(at.node.attachments.count()).as("one that has ended says nothing").isEqualTo(1);
  }

  @Test
  void a_clock_that_is_set_ends_nothing_that_runs_and_lengthens_nothing() throws IOException {
    int handle = attach(at.worker, granted(5));
    at.node.clock.set(3_600_000);
    at.node.pass(0);
    settle();
    assertThat(at.node.attachments.count()).isEqualTo(1);
    at.node.clock.set(-7_200_000);
    at.node.pass(LIFE_MS + 1);
    requireTaken(at.worker, handle, ErrorCode.BUSY);
  }

  @Test
  void a_renewal_of_another_channel_or_epoch_ends_the_attachment() throws IOException {
    int handle = attach(at.worker, granted(5));
    at.worker.push(Operation.RENEW, new Renewal(handle, 5, granted(6).grant()).encode());
    requireTaken(at.worker, handle, ErrorCode.INVALID_REQUEST);
    at.worker.push(Operation.RENEW, new Renewal(handle, 5, granted(5).grant()).encode());
    settle();
    assertThat(at.node.attachments.count()).as("of a handle that is over").isZero();
  }

  @Test
  void rows_end_with_the_grant_too() throws IOException {
    at.write("a");
    int handle = attach(at.worker, at.granted(at.base(5), Optional.empty()));
    at.node.pass(LIFE_MS + 1);
    requireTaken(at.worker, handle, ErrorCode.BUSY);
  }

  @Test
  void a_made_up_epoch_keeps_nobody_away_who_holds_the_channel() throws IOException {
    try (RawClient stranger = at.node.client()) {
      assertThat(stranger.refused(Operation.ATTACH, madeUp(Long.MAX_VALUE)).code())
          .as("before the holder comes")
          .isEqualTo(ErrorCode.INVALID_REQUEST);
      at.write("a");
      int handle = attach(at.worker, granted(5));
      assertThat(stranger.refused(Operation.ATTACH, madeUp(Long.MAX_VALUE)).code())
          .as("while the channel is delivered")
          .isEqualTo(ErrorCode.INVALID_REQUEST);
      credit(at.worker, handle, 5);
      assertThat(delivered(at.worker).handle()).isEqualTo(handle);
    }
  }

  private Attach madeUp(long epoch) {
    return at.ungranted("t", ChannelType.Stream, epoch, 0, Bytes.EMPTY);
  }

  @Test
  void a_grant_of_another_channel_or_epoch_is_refused() throws IOException {
    Attach wrong = at.stream(6, 0, Optional.empty()).withGrant(granted(5).grant());
    assertThat(at.worker.refused(Operation.ATTACH, wrong).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    Attach empty = at.stream(6, 0, Optional.empty()).withGrant(Bytes.EMPTY);
    assertThat(at.worker.refused(Operation.ATTACH, empty).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(at.node.attachments.count()).isZero();
  }

  @Test
  void the_highest_epoch_is_delivered_and_others_are_fenced_on_whatever_connection()
      throws IOException {
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
  void a_late_request_of_another_connection_may_be_repaired_by_attaching_again()
      throws IOException {
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
