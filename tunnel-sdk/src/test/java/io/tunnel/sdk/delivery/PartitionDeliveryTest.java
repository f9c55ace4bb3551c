package io.tunnel.sdk.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Binary;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Credit;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A delivery among servers that answer late, refuse, and are lost, in worlds of random steps: the
 * taker gets each position once and in order, and no server gets more credit than the taker has
 * left.
 */
class PartitionDeliveryTest {

  private static final int SEEDS = 3_000;
  private static final int STEPS = 200;
  private static final int EPOCH = 7;
  private static final long CREDIT_MAX = 1_000;
  private static final long SERVED_NANOS = 50;

  @Test
  void each_position_is_taken_once_and_in_order_whatever_servers_do() {
    long taken = 0;
    long attachments = 0;
    long detached = 0;
    long pauses = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      World world = new World(seed);
      try {
        for (int step = 0; step < STEPS; step++) {
          world.step();
        }
        world.finish();
        assertThat(world.thread.thrown).isEmpty();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
      taken += world.received;
      attachments += world.handles;
      detached += world.detached;
      pauses += world.pauses;
    }
    assertThat(taken).as("it is delivered").isGreaterThan(15L * SEEDS);
    assertThat(attachments).as("servers change").isGreaterThan(2L * SEEDS);
    assertThat(detached).as("answers come too late").isGreaterThan(SEEDS / 10L);
    assertThat(pauses).as("failures are followed by pauses").isGreaterThan(SEEDS / 10L);
  }

  @Test
  void a_server_that_delivers_unasked_is_not_told_when_nothing_more_is_wanted() {
    World world = new World(0);
    world.delivery.end();
    assertThat(world.state()).isEqualTo(DeliveryState.ENDED);
    World unasked = new World(1);
    Server first = unasked.servers.get(0);
    unasked.delivery.attached(first.connect(), 1);
    unasked.delivery.end();
    assertThat(unasked.detached).isZero();
    assertThat(first.link.orElseThrow().isClosed()).isFalse();
  }

  /** A pending request. */
  private record Asked(long behind, CompletableFuture<Frame> answer) {}

  /** The delivery of a server under one handle. */
  private static final class Attachment {
    private final long[] credit = new long[1];
    private long next;
    private Optional<Long> limit;

    Attachment(long behind, Optional<Long> limit) {
      this.next = behind + 1;
      this.limit = limit;
    }
  }

  /** A server whose connection may be lost and opened again. */
  private static final class Server {
    private final World world;
    private final List<Asked> asked = new ArrayList<>();
    private final Map<Integer, Attachment> attachments = new HashMap<>();
    private Optional<DeliveryLink> link = Optional.empty();

    Server(World world) {
      this.world = world;
    }

    DeliveryLink connect() {
      if (link.isEmpty() || link.get().isClosed()) {
        DeliveryLink opened =
            new DeliveryLink(
                Optional.of(new Endpoint("server", 1)),
                world.thread,
                Optional.of(new DeliveryLink.Watch(Duration.ofDays(1), Optional.empty())),
                () -> {});
        opened.join(this);
        link = Optional.of(opened);
        opened.open(CompletableFuture.completedFuture(new Connected()));
      }
      return link.orElseThrow();
    }

    private void push(Operation operation, FrameKind kind, int id, byte[] payload) {
      link.orElseThrow().pushed(new Frame(operation, kind, id, payload));
    }

    /** This server's connection for the delivery. */
    private final class Connected implements Link {
      @Override
      public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
        CompletableFuture<Frame> answer = new CompletableFuture<>();
        if (operation == Operation.DETACH) {
          world.detached++;
          attachments.remove(Binary.getInt(payload, 0));
        } else {
          asked.add(new Asked(world.received, answer));
        }
        return answer;
      }

      @Override
      public CompletableFuture<Frame> request(
          Operation operation, byte[] payload, Duration deadline) {
        return request(operation, payload);
      }

      @Override
      public void push(Operation operation, byte[] payload) {
        if (operation == Operation.CREDIT) {
          Credit given = Credit.decode(payload);
          attachments.get(given.handle()).credit[0] += given.bytes();
          assertThat(attachments.get(given.handle()).credit[0])
              .isLessThanOrEqualTo(world.creditLeft());
        } else {
          ChannelEnd limit = ChannelEnd.decode(payload);
          attachments.get(limit.handle()).limit = Optional.of(limit.position());
        }
      }

      @Override
      public void close() {}
    }
  }

  /** Three servers and a taker; a seed chooses their steps. */
  private static final class World implements DeliveryTaker {
    private final Random random;
    private final VirtualThread thread = new VirtualThread();
    private final List<Server> servers = new ArrayList<>();
    private final PartitionDelivery delivery =
        new PartitionDelivery(thread.links(), this, EPOCH, Optional.empty(), SERVED_NANOS);
    private long received;
    private long unreleased;
    private int handles;
    private int detached;
    private int pauses;
    private boolean isAttached;

    World(long seed) {
      random = new Random(seed);
      for (int i = 0; i < 3; i++) {
        servers.add(new Server(this));
      }
    }

    DeliveryState state() {
      return delivery.state();
    }

    long creditLeft() {
      return CREDIT_MAX - unreleased;
    }

    private void giveCredit() {
      delivery.giveCredit(creditLeft(), CREDIT_MAX / 2);
    }

    void step() {
      Server server = servers.get(random.nextInt(servers.size()));
      thread.runUntil(Duration.ofNanos(thread.nowNanos() + random.nextInt(20)));
      switch (random.nextInt(40)) {
        case 0 -> lose(server);
        case 1 -> refuse(server);
        case 2 -> fail(server);
        case 3, 4, 5, 6 -> answer(server);
        case 7, 8, 9, 10 -> {
          unreleased = random.nextLong(unreleased + 1);
          giveCredit();
        }
        case 11 -> {
          if (random.nextInt(20) == 0) {
            delivery.limitTo(received + 1_000_000);
          }
        }
        case 12, 13, 14 -> {
          if (state() == DeliveryState.IDLE || state() == DeliveryState.PAUSING) {
            attach();
          }
        }
        default -> deliver(server);
      }
    }

    private void attach() {
      Server next = servers.get(random.nextInt(servers.size()));
      delivery.attach(next.connect(), Operation.ATTACH, new Control.Empty());
    }

    private void answer(Server server) {
      if (!server.asked.isEmpty()) {
        Asked next = server.asked.remove(0);
        handles++;
        server.attachments.put(handles, new Attachment(next.behind(), delivery.limit()));
        byte[] payload = Json.encode(new Attached(handles));
        next.answer().complete(new Frame(Operation.ATTACH, FrameKind.RESPONSE, 1, payload));
      }
    }

    private void refuse(Server server) {
      if (!server.asked.isEmpty()) {
        server.asked.remove(0).answer().completeExceptionally(busy());
      }
    }

    private static RefusedException busy() {
      return new RefusedException(ErrorCode.BUSY, "not now");
    }

    private void fail(Server server) {
      server.attachments.keySet().stream()
          .findFirst()
          .ifPresent(
              handle -> {
                server.attachments.remove(handle);
                byte[] payload = ErrorPayload.of(busy()).encode();
                server.push(Operation.DELIVER, FrameKind.ERROR, handle, payload);
              });
    }

    private void lose(Server server) {
      if (server.link.isPresent() && !server.link.get().isClosed()) {
        ConnectionException reason = new ConnectionException("cut", true, null);
        List<Asked> asked = List.copyOf(server.asked);
        server.asked.clear();
        server.attachments.clear();
        server.link.get().lost(reason);
        // Some answers arrived before the loss, and are read after it.
        asked.forEach(
            one -> {
              if (random.nextBoolean()) {
                byte[] payload = Json.encode(new Attached(1));
                one.answer().complete(new Frame(Operation.ATTACH, FrameKind.RESPONSE, 1, payload));
              } else {
                one.answer().completeExceptionally(reason);
              }
            });
      }
    }

    private void deliver(Server server) {
      server.attachments.forEach(
          (handle, attachment) -> {
            if (attachment.credit[0] > 0) {
              byte[] payload = new byte[Integer.BYTES + Long.BYTES + random.nextInt(300)];
              Binary.putInt(payload, 0, handle);
              Binary.putLong(payload, Integer.BYTES, attachment.next);
              attachment.next++;
              attachment.credit[0] -= payload.length;
              server.push(Operation.DELIVER, FrameKind.PUSH, 0, payload);
            }
          });
    }

    /** Deliveries resume in the end, and none arrives after the end of the delivery. */
    void finish() {
      delivery.limitTo(received + 5);
      if (state() == DeliveryState.IDLE || state() == DeliveryState.PAUSING) {
        attach();
      }
      unreleased = 0;
      giveCredit();
      long before = received;
      for (int i = 0; received == before; i++) {
        assertThat(i).as("rounds without a delivery").isLessThan(100);
        servers.forEach(this::answer);
        servers.forEach(this::deliver);
        if (state() == DeliveryState.PAUSING) {
          attach();
        }
      }
      assertThat(delivering().limit).as("every server is told").isEqualTo(delivery.limit());
      delivery.end();
      delivery.end();
      assertThat(servers).allMatch(server -> server.attachments.isEmpty());
      long last = received;
      servers.forEach(this::answer);
      servers.forEach(this::deliver);
      assertThat(received).isEqualTo(last);
      assertThat(state()).isEqualTo(DeliveryState.ENDED);
    }

    private Attachment delivering() {
      return servers.stream()
          .flatMap(server -> server.attachments.values().stream())
          .findFirst()
          .orElseThrow();
    }

    @Override
    public void attached(Optional<Long> incarnation) {
      assertThat(isAttached).as("one server at a time").isFalse();
      assertThat(state()).isEqualTo(DeliveryState.ATTACHED);
      isAttached = true;
      giveCredit();
    }

    @Override
    public void served() {
      assertThat(isAttached).isTrue();
    }

    @Override
    public void delivered(byte[] payload) {
      assertThat(Binary.getLong(payload, Integer.BYTES)).isEqualTo(received + 1);
      received++;
      unreleased += payload.length;
    }

    @Override
    public void settled(long position) {
      throw new AssertionError("no server has said " + position);
    }

    @Override
    public void ended(long position) {
      throw new AssertionError("no server has said " + position);
    }

    @Override
    public void failed(Throwable reason) {
      assertThat(state()).isEqualTo(DeliveryState.PAUSING);
      isAttached = false;
      switch (random.nextInt(4)) {
        case 0, 1 -> attach();
        case 2 -> delivery.pause(reason);
        default -> {
          // A later step attaches the delivery.
        }
      }
    }

    @Override
    public void pauseOver() {
      assertThat(state()).isEqualTo(DeliveryState.PAUSING);
      pauses++;
      attach();
    }
  }
}
