package io.tunnel.programs.bench.seeds;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.Optional;

/**
 * Unary calls of gRPC over HTTP/2 without TLS, as etcd takes them, with no more of both protocols
 * than one open call on a connection needs. Headers of answers are skipped, not decoded: an answer
 * with a message is a success, an answer without one a failure.
 */
final class EtcdDialogue implements Dialogue {

  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;

  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int PADDED = 8;

  private static final int FRAME_HEADER_BYTES = 9;

  /** Of an answer, on top of the window that every connection begins with. */
  private static final int WINDOW_BYTES = 0x3fff0000;

  private static final int WINDOW_STEP_BYTES = 1 << 20;
  private static final int FIRST_WINDOW_BYTES = 65_535;

  /** The byte for "not compressed", and the length of the message. */
  private static final int MESSAGE_HEADER_BYTES = 5;

  private final ByteBuf received = Unpooled.buffer(1_024);
  private final ByteBuf message = Unpooled.buffer(1_024);
  private boolean isGreeted;
  private int stream = -1;

  /** Bytes of DATA that the server takes now. */
  private long sendWindowBytes = FIRST_WINDOW_BYTES;

  /** DATA that waits for the window. */
  private Optional<ByteBuf> held = Optional.empty();

  /** Bytes of DATA since the window was last widened. */
  private int takenBytes;

  @Override
  public ByteBuf greeting(ByteBufAllocator allocator) {
    ByteBuf bytes = allocator.directBuffer(64).writeBytes(PREFACE);
    header(bytes, 0, SETTINGS, 0, 0);
    header(bytes, Integer.BYTES, WINDOW_UPDATE, 0, 0).writeInt(WINDOW_BYTES);
    return bytes;
  }

  private static ByteBuf header(ByteBuf bytes, int length, int type, int flags, int stream) {
    return bytes.writeMedium(length).writeByte(type).writeByte(flags).writeInt(stream);
  }

  @Override
  public ByteBuf request(ByteBufAllocator allocator, String name, byte[] payload) {
    // The first is 1; clients have the odd numbers.
    stream += 2;
    message.clear();
    ByteBuf bytes = allocator.directBuffer(192 + payload.length);
    int start = bytes.writerIndex();
    header(bytes, 0, HEADERS, END_HEADERS, stream);
    bytes.writeByte(0x80 | 3); // :method POST
    bytes.writeByte(0x80 | 6); // :scheme http
    literal(bytes.writeByte(4), name); // :path
    literal(bytes.writeByte(1), "127.0.0.1"); // :authority
    literal(bytes.writeByte(0x0f).writeByte(31 - 15), "application/grpc"); // content-type
    literal(literal(bytes.writeByte(0), "te"), "trailers");
    bytes.setMedium(start, bytes.writerIndex() - start - FRAME_HEADER_BYTES);

    int dataBytes = MESSAGE_HEADER_BYTES + payload.length;
    if (dataBytes > sendWindowBytes) {
      held = Optional.of(data(Unpooled.buffer(), payload));
      return bytes;
    }
    sendWindowBytes -= dataBytes;
    return data(bytes, payload);
  }

  private static ByteBuf literal(ByteBuf bytes, String text) {
    // Shorter than 127 bytes, and not compressed.
    return bytes.writeByte(text.length()).writeBytes(text.getBytes(US_ASCII));
  }

  private ByteBuf data(ByteBuf bytes, byte[] payload) {
    return header(bytes, MESSAGE_HEADER_BYTES + payload.length, DATA, END_STREAM, stream)
        .writeByte(0)
        .writeInt(payload.length)
        .writeBytes(payload);
  }

  @Override
  public void read(ByteBuf bytes, Events events) {
    received.writeBytes(bytes);
    while (received.readableBytes() >= FRAME_HEADER_BYTES) {
      int at = received.readerIndex();
      int length = received.getUnsignedMedium(at);
      if (received.readableBytes() < FRAME_HEADER_BYTES + length) {
        break;
      }
      received.skipBytes(FRAME_HEADER_BYTES);
      ByteBuf body = received.readSlice(length);
      take(
          received.getUnsignedByte(at + 3),
          received.getUnsignedByte(at + 4),
          received.getInt(at + 5),
          body,
          events);
    }
    received.discardReadBytes();
  }

  private void take(int type, int flags, int ofStream, ByteBuf body, Events events) {
    switch (type) {
      case SETTINGS -> {
        if ((flags & ACK) == 0) {
          events.send(header(events.allocator().directBuffer(), 0, SETTINGS, ACK, 0));
          if (!isGreeted) {
            isGreeted = true;
            events.greeted();
          }
        }
      }
      case PING -> {
        if ((flags & ACK) == 0) {
          ByteBuf pong = events.allocator().directBuffer();
          events.send(header(pong, body.readableBytes(), PING, ACK, 0).writeBytes(body));
        }
      }
      case WINDOW_UPDATE -> widened(ofStream, body.readInt(), events);
      case DATA -> data(flags, body, events);
      case HEADERS -> {
        if ((flags & END_STREAM) != 0 && ofStream == stream) {
          end(events);
        }
      }
      case RST_STREAM -> events.failed("the server reset the call, code " + body.readInt());
      case GOAWAY ->
          events.failed(
              "the server ends the connection, "
                  + body.toString(8, body.readableBytes() - 8, US_ASCII));
      default -> {
        // Nothing that an open call depends on.
      }
    }
  }

  private void widened(int ofStream, int bytes, Events events) {
    if (ofStream != 0) {
      return;
    }
    sendWindowBytes += bytes;
    if (held.isPresent()) {
      ByteBuf data = held.get();
      int dataBytes = data.readableBytes() - FRAME_HEADER_BYTES;
      if (dataBytes <= sendWindowBytes) {
        sendWindowBytes -= dataBytes;
        held = Optional.empty();
        events.send(data);
      }
    }
  }

  private void data(int flags, ByteBuf body, Events events) {
    if ((flags & PADDED) != 0) {
      events.failed("the server pads its answers, which this client does not read");
      return;
    }
    takenBytes += body.readableBytes();
    message.writeBytes(body);
    if (takenBytes >= WINDOW_STEP_BYTES) {
      ByteBuf update = events.allocator().directBuffer();
      events.send(header(update, Integer.BYTES, WINDOW_UPDATE, 0, 0).writeInt(takenBytes));
      takenBytes = 0;
    }
    if ((flags & END_STREAM) != 0) {
      end(events);
    }
  }

  private void end(Events events) {
    boolean isWhole =
        message.readableBytes() >= MESSAGE_HEADER_BYTES
            && message.getInt(1) == message.readableBytes() - MESSAGE_HEADER_BYTES;
    if (!isWhole) {
      events.failed("the server refused the call: its answer has no message");
      return;
    }
    byte[] answer = new byte[message.readableBytes() - MESSAGE_HEADER_BYTES];
    message.getBytes(MESSAGE_HEADER_BYTES, answer);
    events.answered(answer);
  }
}
