package io.tunnel.it.recorded;

import io.tunnel.codec.Binary;
import io.tunnel.it.recorded.Exchange.Step;
import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Says to a client of today what a server of the past said. The n-th request of an operation gets
 * the answer that the n-th had, or, when there are more of them now, the last one's; an operation
 * that did not exist then is refused as every server refuses those. A pushed frame stands behind
 * the frame that it followed: behind the credit of its channel, or behind the last request before
 * it.
 */
final class RecordedServer implements AutoCloseable {

  private final List<Step> steps;
  private final Listener listener;

  // Guarded by this.
  private final BitSet taken = new BitSet();
  private final Map<Operation, Integer> lastAsked = new EnumMap<>(Operation.class);
  private final List<String> unknown = new ArrayList<>();

  RecordedServer(Exchange exchange) throws IOException {
    steps = exchange.steps();
    listener = new Listener(client -> client.read(frame -> received(client, frame), client::close));
  }

  String endpoint() {
    return listener.endpoint();
  }

  /** Operations that a client asked for and the server of the past did not know. */
  synchronized List<String> unknown() {
    return List.copyOf(unknown);
  }

  private synchronized void received(FrameSocket client, Frame frame) {
    if (frame.kind() == FrameKind.PUSH) {
      int pushed = next(frame);
      if (pushed >= 0) {
        taken.set(pushed);
        pushesBehind(pushed).forEach(client::send);
      }
      return;
    }
    int asked = next(frame);
    if (asked >= 0) {
      taken.set(asked);
      lastAsked.put(frame.operation(), asked);
    } else if (lastAsked.containsKey(frame.operation())) {
      asked = lastAsked.get(frame.operation());
    } else {
      unknown.add(frame.operation().name());
      client.send(refusal(frame));
      return;
    }
    client.send(answerTo(asked, frame.correlationId()));
    pushesBehind(asked).forEach(client::send);
  }

  /** The first step that says this, of this channel if it is a push, and was not taken yet. */
  private int next(Frame frame) {
    for (int i = taken.nextClearBit(0); i < steps.size(); i = taken.nextClearBit(i + 1)) {
      Step step = steps.get(i);
      if (step.isFromClient()
          && step.frame().operation() == frame.operation()
          && step.frame().kind() == frame.kind()
          && (frame.kind() != FrameKind.PUSH || handle(step.frame()) == handle(frame))) {
        return i;
      }
    }
    return -1;
  }

  /** Of a credit or of what a channel is sent. */
  private static int handle(Frame frame) {
    return Binary.getInt(frame.payload(), 0);
  }

  private static Frame refusal(Frame frame) {
    ErrorPayload refused =
        new ErrorPayload(ErrorCode.UNKNOWN_OPERATION, "operation " + frame.operationCode());
    return new Frame(
        frame.operationCode(), FrameKind.ERROR, frame.correlationId(), refused.encode());
  }

  private Frame answerTo(int asked, int correlationId) {
    Step request = steps.get(asked);
    for (Step step : steps.subList(asked + 1, steps.size())) {
      Frame frame = step.frame();
      if (step.connection() == request.connection()
          && !step.isFromClient()
          && frame.kind() != FrameKind.PUSH
          && frame.correlationId() == request.frame().correlationId()) {
        return new Frame(frame.operationCode(), frame.kind(), correlationId, frame.payload());
      }
    }
    throw new IllegalStateException("step " + asked + " has no answer: " + request.text());
  }

  private List<Frame> pushesBehind(int cause) {
    List<Frame> pushes = new ArrayList<>();
    for (int i = cause + 1; i < steps.size(); i++) {
      Step step = steps.get(i);
      if (!step.isFromClient() && step.frame().kind() == FrameKind.PUSH && causeOf(i) == cause) {
        pushes.add(step.frame());
      }
    }
    return pushes;
  }

  private int causeOf(int push) {
    Step pushed = steps.get(push);
    boolean isOfChannel = !pushed.isJson();
    for (int i = push - 1; i >= 0; i--) {
      Step step = steps.get(i);
      boolean isCredit = step.frame().operation() == Operation.CREDIT;
      if (step.isFromClient()
          && step.connection() == pushed.connection()
          && isCredit == isOfChannel
          && (!isCredit || handle(step.frame()) == handle(pushed.frame()))) {
        return i;
      }
    }
    throw new IllegalStateException("step " + push + " follows nothing: " + pushed.text());
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
