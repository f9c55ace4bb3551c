package io.tunnel.sdk.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Binary;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DeliveryLinkTest {

  /** An operation unknown to this version: its frames count as a sign of life too. */
  private static final int UNKNOWN_OPERATION = 250;

  private static final Endpoint ENDPOINT = new Endpoint("node", 1);

  private static final DeliveryLink.Watch WATCH =
      new DeliveryLink.Watch(Duration.ofSeconds(1), Optional.of(Duration.ofSeconds(3)));

  private final VirtualThread thread = new VirtualThread();
  private final Node node = new Node();
  private final Taker first = new Taker();
  private final Taker second = new Taker();
  private int closed;
  private final DeliveryLink link = linkOf(WATCH);

  private DeliveryLink linkOf(DeliveryLink.Watch watch) {
    return new DeliveryLink(Optional.of(ENDPOINT), thread, Optional.of(watch), () -> closed++);
  }

  @Test
  void a_server_that_says_nothing_is_left() {
    link.open(CompletableFuture.completedFuture(node));
    thread.runUntil(Duration.ofSeconds(30));
    assertThat(node.isClosed).isFalse();

    node.isSilent = true;
    thread.runUntil(Duration.ofSeconds(36));

    assertThat(node.isClosed).isTrue();
    assertThat(closed).isEqualTo(1);
  }

  @Test
  void how_long_an_answer_may_take_is_the_clients_to_say_where_nothing_else_is() {
    DeliveryLink patient = linkOf(new DeliveryLink.Watch(Duration.ofSeconds(1), Optional.empty()));
    patient.open(CompletableFuture.completedFuture(node));
    node.isSilent = true;
    thread.runUntil(Duration.ofSeconds(10));
    assertThat(node.isClosed).isFalse();
    thread.runUntil(Duration.ofSeconds(12));
    assertThat(node.isClosed).isTrue();
  }

  @Test
  void a_server_whose_answer_waits_behind_deliveries_is_not_silent() {
    link.open(CompletableFuture.completedFuture(node));
    node.isSilent = true;
    for (int second = 1; second <= 30; second++) {
      thread.runUntil(Duration.ofSeconds(second));
      link.pushed(new Frame(UNKNOWN_OPERATION, FrameKind.PUSH, 0, new byte[0]));
    }

    assertThat(node.isClosed).isFalse();
  }

  @Test
  void what_is_said_goes_to_whose_handle_it_is_said_under() {
    link.open(CompletableFuture.completedFuture(node));
    first.delivery.attached(link, 1);
    second.delivery.attached(link, 2);
    link.pushed(push(Operation.DELIVER, handle(1)));
    link.pushed(push(Operation.SETTLED, new ChannelEnd(2, 7, 5).encode()));
    link.pushed(push(Operation.END_OF_CHANNEL, new ChannelEnd(1, 7, 9).encode()));
    link.pushed(push(Operation.DELIVER, handle(3)));

    assertThat(first.told).containsExactly("delivered 4", "served", "ended 9");
    assertThat(second.told).containsExactly("settled 5");
  }

  @Test
  void who_was_refused_is_told_nothing_more() {
    link.open(CompletableFuture.completedFuture(node));
    first.delivery.attached(link, 1);
    RefusedException busy = new RefusedException(ErrorCode.BUSY, "not now");
    byte[] refusal = ErrorPayload.of(busy).encode();
    link.pushed(new Frame(Operation.DELIVER, FrameKind.ERROR, 1, refusal));
    link.pushed(push(Operation.DELIVER, handle(1)));

    assertThat(first.told).containsExactly("failed not now");
  }

  @Test
  void a_delivery_that_cannot_be_read_ends_the_connection_for_all() {
    link.open(CompletableFuture.completedFuture(node));
    first.delivery.attached(link, 1);
    second.delivery.attached(link, 2);
    link.pushed(push(Operation.DELIVER, new byte[2]));

    assertThat(first.told).containsExactly("failed the server sent a malformed push");
    assertThat(second.told).hasSize(1);
    assertThat(node.isClosed).isTrue();
  }

  @Test
  void an_answer_that_cannot_be_read_ends_the_connection_and_its_delivery_may_ask_again() {
    link.open(CompletableFuture.completedFuture(node));
    second.delivery.attached(link, 2);
    node.answer = new byte[] {'['};
    first.delivery.attach(link, Operation.ATTACH, new Control.Empty());

    assertThat(first.told).containsExactly("failed the server sent a malformed answer");
    assertThat(first.delivery.state()).isEqualTo(DeliveryState.PAUSING);
    assertThat(second.told).hasSize(1);
    assertThat(node.isClosed).isTrue();
  }

  @Test
  void it_closes_when_the_last_who_needed_it_has_left() {
    link.open(CompletableFuture.completedFuture(node));
    link.join(first.delivery);
    link.join(second.delivery);
    link.leave(first.delivery);
    assertThat(node.isClosed).isFalse();
    link.leave(second.delivery);
    assertThat(node.isClosed).isTrue();
    assertThat(closed).isEqualTo(1);
  }

  @Test
  void the_connection_of_a_session_is_not_closed_here() {
    DeliveryLink own = DeliveryLink.ofSession(thread, node);
    own.join(first.delivery);
    own.leave(first.delivery);
    thread.runUntil(Duration.ofSeconds(30));
    assertThat(node.isClosed).isFalse();
    assertThat(node.asked).isZero();
  }

  @Test
  void who_waits_for_a_connection_that_is_ended_is_told_why() {
    CompletableFuture<Link> opening = new CompletableFuture<>();
    link.open(opening);
    CompletableFuture<Frame> answer = link.request(Operation.ATTACH, new byte[0]);
    link.end(new ConnectionException("closed", false, null));
    opening.complete(node);
    assertThat(answer).isCompletedExceptionally();
    assertThat(node.isClosed).as("it came too late").isTrue();
  }

  private static Frame push(Operation operation, byte[] payload) {
    return new Frame(operation, FrameKind.PUSH, 0, payload);
  }

  private static byte[] handle(int handle) {
    byte[] payload = new byte[Integer.BYTES];
    Binary.putInt(payload, 0, handle);
    return payload;
  }

  /** Records the events of a delivery with epoch 7. */
  private final class Taker implements DeliveryTaker {
    private final List<String> told = new ArrayList<>();
    private final PartitionDelivery delivery =
        new PartitionDelivery(thread.links(), this, 7, Optional.empty(), Long.MAX_VALUE);

    @Override
    public void attached(Optional<Long> incarnation) {
      told.add("attached");
    }

    @Override
    public void served() {
      told.add("served");
    }

    @Override
    public void delivered(byte[] payload) {
      told.add("delivered " + payload.length);
    }

    @Override
    public void ended(long position) {
      told.add("ended " + position);
    }

    @Override
    public void settled(long position) {
      told.add("settled " + position);
    }

    @Override
    public void failed(Throwable reason) {
      told.add("failed " + reason.getMessage());
    }

    @Override
    public void pauseOver() {
      throw new AssertionError("no delivery pauses here");
    }
  }

  /** Answers at once, or lets each request run into its deadline. */
  private final class Node implements Link {
    private boolean isSilent;
    private boolean isClosed;
    private int asked;
    private byte[] answer = new byte[0];

    @Override
    public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
      return request(operation, payload, Duration.ofSeconds(10));
    }

    @Override
    public CompletableFuture<Frame> request(
        Operation operation, byte[] payload, Duration deadline) {
      asked++;
      CompletableFuture<Frame> answered = new CompletableFuture<>();
      if (isSilent) {
        thread.later(
            deadline.toNanos(),
            () -> answered.completeExceptionally(new ConnectionException("no answer", true, null)));
      } else {
        answered.complete(new Frame(operation, FrameKind.RESPONSE, 1, answer));
      }
      return answered;
    }

    @Override
    public void push(Operation operation, byte[] payload) {}

    @Override
    public void close() {
      isClosed = true;
    }
  }
}
