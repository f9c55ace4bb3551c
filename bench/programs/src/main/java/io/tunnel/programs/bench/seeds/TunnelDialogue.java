package io.tunnel.programs.bench.seeds;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;

/** The protocol of this service, without the SDK: one frame each way. */
final class TunnelDialogue implements Dialogue {

  private static final int GREETING = 1;

  private final FrameAssembler assembler = new FrameAssembler();
  private int lastId = GREETING;

  @Override
  public ByteBuf greeting(ByteBufAllocator allocator) {
    byte[] hello = Hello.request(Protocol.SPOKEN, "tunnel bench seeds").encode();
    return frame(allocator, Operation.HELLO, GREETING, hello);
  }

  @Override
  public ByteBuf request(ByteBufAllocator allocator, String name, byte[] payload) {
    lastId++;
    return frame(allocator, Operation.valueOf(name), lastId, payload);
  }

  private static ByteBuf frame(
      ByteBufAllocator allocator, Operation operation, int id, byte[] payload) {
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, operation.code(), FrameKind.REQUEST, id, payload.length);
    return allocator
        .directBuffer(header.length + payload.length)
        .writeBytes(header)
        .writeBytes(payload);
  }

  @Override
  public void read(ByteBuf bytes, Events events) {
    try {
      assembler.feed(bytes.nioBuffer(), frame -> take(frame, events));
    } catch (FrameException e) {
      events.failed(e.getMessage());
    }
  }

  private void take(Frame frame, Events events) {
    if (frame.kind() == FrameKind.ERROR) {
      ErrorPayload error = ErrorPayload.decode(frame.payload());
      events.failed(error.code() + ": " + error.message());
    } else if (frame.kind() != FrameKind.RESPONSE || frame.correlationId() != lastId) {
      events.failed("a " + frame.kind() + " that answers no request: " + frame.correlationId());
    } else if (frame.operation() == Operation.HELLO) {
      events.greeted();
    } else {
      events.answered(frame.payload());
    }
  }
}
