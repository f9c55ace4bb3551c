package io.tunnel.sdk.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.server.engine.EngineInMemory;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The test as a client of the engine, without a socket: each request is answered before the call
 * returns. For the service's thread.
 */
final class Inside {

  /** Steps that a request may take; an answer may wait for ticks, such as for deleted rows. */
  private static final int STEPS_MAX = 1_000;

  private final Loop loop;
  private final EngineInMemory engine;
  private final EmbeddedChannel connection;
  private final FrameAssembler assembler = new FrameAssembler();
  private final List<Frame> received = new ArrayList<>();
  private int lastCorrelation;

  /** Greets the engine. */
  Inside(Loop loop, EngineInMemory engine) {
    this.loop = loop;
    this.engine = engine;
    ChannelHandler front = engine.front();
    connection = new EmbeddedChannel(front);
    var unused = request(Operation.HELLO, Hello.request(Protocol.SPOKEN, "test").encode());
  }

  /**
   * Asks, and returns the payload of the answer.
   *
   * @throws io.tunnel.model.RefusedException when the engine refuses the request
   */
  byte[] request(Operation operation, byte[] payload) {
    int correlation = ++lastCorrelation;
    send(new Frame(operation, FrameKind.REQUEST, correlation, payload));
    for (int i = 0; i < STEPS_MAX; i++) {
      Optional<Frame> answer = answer(correlation);
      if (answer.isPresent()) {
        received.removeIf(frame -> frame.kind() != FrameKind.PUSH);
        return payload(answer.get());
      }
      if (i > 0) {
        engine.tick();
      }
      settle();
    }
    throw new IllegalStateException("the engine does not answer " + operation);
  }

  /** As {@link #request(Operation, byte[])}, in JSON. */
  <T extends Control> T request(Operation operation, Control payload, Class<T> answer) {
    return Json.decode(request(operation, Json.encode(payload)), answer);
  }

  /** Sends a request whose answer nobody reads. */
  void send(Operation operation, byte[] payload) {
    send(new Frame(operation, FrameKind.REQUEST, ++lastCorrelation, payload));
  }

  /** Sends a push; returns the pushes of the engine since the last call. */
  List<Frame> push(Operation operation, byte[] payload) {
    send(new Frame(operation, FrameKind.PUSH, 0, payload));
    settle();
    List<Frame> pushes = received.stream().filter(frame -> frame.kind() == FrameKind.PUSH).toList();
    received.clear();
    return pushes;
  }

  private void send(Frame frame) {
    var unused = connection.writeInbound(Unpooled.wrappedBuffer(frame.header(), frame.payload()));
    drain();
  }

  private void settle() {
    loop.settle();
    connection.runPendingTasks();
    loop.settle();
    drain();
  }

  private void drain() {
    for (ByteBuf out = connection.readOutbound(); out != null; out = connection.readOutbound()) {
      try {
        assembler.feed(out.nioBuffer(), received::add);
      } finally {
        out.release();
      }
    }
  }

  private Optional<Frame> answer(int correlation) {
    return received.stream()
        .filter(frame -> frame.kind() != FrameKind.PUSH && frame.correlationId() == correlation)
        .findFirst();
  }

  private static byte[] payload(Frame answer) {
    if (answer.kind() == FrameKind.ERROR) {
      throw ErrorPayload.decode(answer.payload()).toException();
    }
    return answer.payload();
  }

  void close() {
    var unused = connection.finishAndReleaseAll();
  }
}
