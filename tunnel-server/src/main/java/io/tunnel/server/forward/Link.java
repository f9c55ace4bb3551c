package io.tunnel.server.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.forward.ForwardException.Reason;
import io.tunnel.server.net.access.Gate.Vouched;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.KeyExchange;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a node, for one principal and address: greets, authenticates with a voucher,
 * sends requests, and gives answers to their askers. Requests wait until the node has proved that
 * it knows the voucher's secret, too. Belongs to the forwarding thread, to which it hands the
 * events of its connection.
 */
final class Link extends ChannelInboundHandlerAdapter {

  private static final Logger LOGGER = LoggerFactory.getLogger(Link.class);

  /** The longest frame of a node that has not proved itself. */
  private static final int GREETING_BYTES_MAX = 4_096;

  private static final int GREETING_ID = 1;

  private final String node;
  private final Optional<Vouched> vouched;
  private final Bytes nonce;
  private final Owner owner;
  private final FrameAssembler assembler = new FrameAssembler();

  /** Requests for which the connection is not open yet. */
  private final Set<Ask> waiting = new LinkedHashSet<>();

  /** Requests that were sent, by correlation id. */
  private final Map<Integer, Ask> sent = new LinkedHashMap<>();

  /** Readings that are open, by the handle that the node gave. */
  private final Map<Integer, Ask> readings = new LinkedHashMap<>();

  private ChannelHandlerContext context;
  private State state = State.CONNECTING;

  /** Present once the node has answered HELLO, when there is a voucher. */
  private Optional<KeyExchange> exchange = Optional.empty();

  private int lastId = GREETING_ID;

  /** Bytes of the arriving answer that the owner counts. */
  private int heldBytes;

  /** Whether the link gets no more requests, and is closed after its last answer. */
  private boolean isRetired;

  private enum State {
    CONNECTING,
    /** HELLO was sent. */
    GREETING,
    /** The voucher was named. */
    BEGINNING,
    /** The secret was proved. */
    PROVING,
    OPEN,
    CLOSED
  }

  /** The forwarder. */
  interface Owner {

    /** Runs an event on the forwarding thread; false when the thread has ended. */
    boolean execute(Runnable event);

    /** Runs an event on the forwarding thread after some time. */
    void later(Runnable event, long ms);

    /** The name of this server, which the node's log shows. */
    String name();

    /** A node answered with a payload. */
    void answered(Ask ask, byte[] payload);

    /** A node refused. */
    void refused(Ask ask, RefusedException reason, String node);

    /** No answer comes. */
    void failed(Ask ask, ForwardException reason);

    /** As {@link ForwardCore#hold}. */
    boolean hold(int bytesBefore, int bytesNow);

    /** The link is closed. */
    void closed(Link link);
  }

  /**
   * A link that is not connected.
   *
   * @param node HOST:PORT of the node, or a name for this server
   * @param vouched the voucher; empty for nodes without authentication
   * @param nonce unpredictable bytes, for this link only
   */
  Link(String node, Optional<Vouched> vouched, Bytes nonce, Owner owner) {
    this.node = node;
    this.vouched = vouched;
    this.nonce = nonce;
    this.owner = owner;
    assembler.limit(GREETING_BYTES_MAX);
  }

  /** Whether the node has let this server in. */
  boolean isOpen() {
    return state == State.OPEN;
  }

  /** Whether the link has ended. */
  boolean isClosed() {
    return state == State.CLOSED;
  }

  /** Whether requests wait for the connection or for answers. */
  boolean isBusy() {
    return !waiting.isEmpty() || !sent.isEmpty() || !readings.isEmpty();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    post(
        () -> {
          context = ctx;
          if (state == State.CLOSED) {
            ctx.close();
          }
        });
  }

  private void post(Runnable event) {
    boolean unused = owner.execute(event);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    post(this::greet);
  }

  private void greet() {
    if (state == State.CONNECTING) {
      state = State.GREETING;
      byte[] hello = Hello.request(Protocol.SPOKEN, "node " + owner.name()).encode();
      write(Operation.HELLO, GREETING_ID, hello);
    }
  }

  /** Sends a request, now or when the connection is open. */
  void send(Ask ask) {
    ask.link = Optional.of(this);
    if (state == State.OPEN) {
      sendNow(ask);
    } else {
      waiting.add(ask);
    }
  }

  private void sendNow(Ask ask) {
    sent.put(++lastId, ask);
    write(ask.operation, lastId, ask.payload);
  }

  private void write(Operation operation, int correlationId, byte[] payload) {
    write(new Frame(operation, FrameKind.REQUEST, correlationId, payload));
  }

  private void write(Frame frame) {
    var unused = context.writeAndFlush(Unpooled.wrappedBuffer(frame.header(), frame.payload()));
  }

  /** Forgets a request whose answer nobody waits for any more. */
  void forget(Ask ask) {
    ask.link = Optional.empty();
    boolean unused = waiting.remove(ask) || sent.values().remove(ask);
    List<Integer> open =
        readings.keySet().stream().filter(handle -> readings.get(handle) == ask).toList();
    open.forEach(this::detach);
    rest();
  }

  /** Takes no more requests; the connection ends after the last answer. */
  void retire() {
    isRetired = true;
    rest();
  }

  private void rest() {
    if (isRetired && !isBusy()) {
      end("it is not needed any more");
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (!owner.execute(() -> read(bytes))) {
      bytes.release();
    }
  }

  private void read(ByteBuf bytes) {
    try {
      for (ByteBuffer part : bytes.nioBuffers()) {
        if (state != State.CLOSED) {
          assembler.feed(part, this::take);
        }
      }
      hold(state == State.CLOSED ? 0 : assembler.heldBytes());
    } catch (FrameException | MalformedException e) {
      end("it does not speak the protocol: " + e.getMessage());
    } catch (RefusedException e) {
      end(e.getMessage());
    } finally {
      bytes.release();
    }
  }

  private void hold(int bytesNow) {
    boolean fits = owner.hold(heldBytes, bytesNow);
    heldBytes = bytesNow;
    if (!fits) {
      end("its answer does not fit beside the answers of other nodes");
    }
  }

  private void take(Frame frame) {
    if (state == State.CLOSED) {
      return;
    }
    if (frame.kind() == FrameKind.PUSH || frame.operation() == Operation.DELIVER) {
      takePush(frame);
      return;
    }
    boolean isRefused = frame.kind() == FrameKind.ERROR;
    Ask ask = state == State.OPEN ? sent.remove(frame.correlationId()) : null;
    if (ask != null && ask.reading.isPresent() && !isRefused) {
      read(ask, ask.reading.get(), Json.decode(frame.payload(), Attached.class));
    } else if (ask != null) {
      ask.link = Optional.empty();
      if (isRefused) {
        owner.refused(ask, ErrorPayload.decode(frame.payload()).toException(), node);
      } else {
        owner.answered(ask, frame.payload());
      }
      rest();
    } else if (isRefused && (state != State.OPEN || frame.correlationId() == 0)) {
      turnedAway(ErrorPayload.decode(frame.payload()).toException());
    } else if (state != State.OPEN) {
      enter(frame.payload());
    }
    // Otherwise the answer of a forgotten request.
  }

  private void read(Ask ask, Reading reading, Attached attached) {
    int handle = attached.handle();
    readings.put(handle, ask);
    reading.opened(attached.incarnation());
    byte[] credit = new Credit(handle, PartitionControl.EPOCH, reading.creditBytes).encode();
    write(new Frame(Operation.CREDIT, FrameKind.PUSH, 0, credit));
    owner.later(
        () -> {
          if (readings.get(handle) == ask) {
            over(handle, OptionalLong.empty(), Optional.empty());
          }
        },
        reading.patienceMs);
  }

  /** A delivery of a reading, or the end of deliveries. Those of a former reading are dropped. */
  private void takePush(Frame frame) {
    if (frame.kind() == FrameKind.ERROR) {
      Ask ask = readings.remove(frame.correlationId());
      if (ask != null) {
        ask.link = Optional.empty();
        owner.refused(ask, ErrorPayload.decode(frame.payload()).toException(), node);
        rest();
      }
    } else if (frame.operation() == Operation.DELIVER && !readings.isEmpty()) {
      Delivery delivery = Delivery.decode(frame.payload());
      over(delivery.handle(), OptionalLong.empty(), Optional.of(delivery));
    } else if (frame.operation() == Operation.SETTLED) {
      ChannelEnd settled = ChannelEnd.decode(frame.payload());
      over(settled.handle(), OptionalLong.of(settled.position()), Optional.empty());
    }
  }

  private void over(int handle, OptionalLong settled, Optional<Delivery> delivery) {
    Ask ask = readings.get(handle);
    if (ask != null) {
      detach(handle);
      ask.link = Optional.empty();
      ask.reading.orElseThrow().over(settled, delivery);
      owner.answered(ask, new byte[0]);
      rest();
    }
  }

  /** Ends a reading at the node; nobody waits for the answer. */
  private void detach(int handle) {
    boolean unused = readings.remove(handle) != null;
    write(Operation.DETACH, ++lastId, new ChannelRef(handle, PartitionControl.EPOCH).encode());
  }

  private void enter(byte[] payload) {
    switch (state) {
      case GREETING -> {
        Agreement unused = Hello.decode(payload).confirm(Protocol.SPOKEN);
        if (vouched.isEmpty()) {
          open();
        } else {
          state = State.BEGINNING;
          authenticate(begun(vouched.get()).begin());
        }
      }
      case BEGINNING -> {
        state = State.PROVING;
        authenticate(exchange.orElseThrow().prove(payload));
      }
      case PROVING -> {
        if (exchange.orElseThrow().confirm(payload).isPresent()) {
          open();
        } else {
          // A program that cannot prove the secret gets no request: it could be any program.
          end("it does not know the master key of this server");
        }
      }
      case CONNECTING, OPEN, CLOSED -> throw new IllegalStateException("entering while " + state);
    }
  }

  private KeyExchange begun(Vouched ours) {
    SslHandler tls = context.pipeline().get(SslHandler.class);
    Bytes binding =
        tls == null
            ? AuthenticationProof.NO_CHANNEL
            : KeyExchange.binding(tls.engine().getSession());
    KeyExchange begun =
        new KeyExchange(ours.voucher().keyId(), ours.secret().toByteArray(), nonce, binding);
    exchange = Optional.of(begun);
    return begun;
  }

  private void authenticate(byte[] step) {
    write(Operation.AUTHENTICATE, ++lastId, step);
  }

  private void open() {
    state = State.OPEN;
    assembler.limit(Limits.FRAME_BYTES_MAX);
    List<Ask> first = new ArrayList<>(waiting);
    waiting.clear();
    first.forEach(this::sendNow);
    rest();
  }

  /** The node refused the whole connection. */
  private void turnedAway(RefusedException reason) {
    boolean isStopping =
        reason.code() == ErrorCode.SHUTTING_DOWN || reason.code() == ErrorCode.BUSY;
    if (isStopping || carriesReadings()) {
      // The node did nothing for requests without an answer, and readings do nothing at all.
      List<Ask> all = leave();
      close();
      all.forEach(ask -> owner.refused(ask, reason, node));
    } else {
      end(reason.getMessage());
    }
  }

  private boolean carriesReadings() {
    return Stream.of(waiting, sent.values(), readings.values())
        .flatMap(Collection::stream)
        .allMatch(ask -> ask.reading.isPresent());
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    post(() -> end("the connection ended"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOGGER.debug("the connection to {} failed", node, cause);
    post(() -> end(String.valueOf(cause.getMessage())));
  }

  /** The node. */
  @Override
  public String toString() {
    return node;
  }

  private List<Ask> leave() {
    List<Ask> all = new ArrayList<>(waiting);
    all.addAll(sent.values());
    all.addAll(readings.values());
    waiting.clear();
    sent.clear();
    readings.clear();
    all.forEach(ask -> ask.link = Optional.empty());
    return all;
  }

  private void close() {
    state = State.CLOSED;
    boolean unused = owner.hold(heldBytes, 0);
    heldBytes = 0;
    if (context != null) {
      context.close();
    }
    owner.closed(this);
  }

  /** Ends the connection; its requests fail. Idempotent. */
  void end(String why) {
    if (state != State.CLOSED) {
      boolean wasOpen = state == State.OPEN;
      List<Ask> all = leave();
      close();
      for (Ask ask : all) {
        owner.failed(
            ask,
            wasOpen
                ? new ForwardException(
                    Reason.DISCONNECTED,
                    "no answer to " + ask + " from " + node + ": " + why + "; it may be done")
                : new ForwardException(
                    Reason.UNREACHABLE,
                    "cannot send " + ask + " to " + node + ": " + why + "; nothing was done"));
      }
    }
  }
}
