package io.tunnel.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Binary;
import io.tunnel.model.ErrorCode;
import io.tunnel.wire.Credit;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A socket to a real server, on which anything can be said. */
public final class RawClient implements AutoCloseable {

  private static final int ANSWER_MS_MAX = 20_000;

  private final Socket socket;
  private final DataInputStream in;
  private final Deque<Frame> pushed = new ArrayDeque<>();
  private int lastCorrelationId = 100;

  /** Of the channels that were attached to, by the name that their holder has for them. */
  private final Map<Integer, Integer> deliveries = new HashMap<>();

  private RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(ANSWER_MS_MAX);
    in = new DataInputStream(socket.getInputStream());
  }

  /** A connection on which nothing was said yet. */
  public static RawClient silent(ServerProcess server) {
    return silent(server.port());
  }

  /** A connection to whatever listens on a port of this machine, on which nothing was said yet. */
  public static RawClient silent(int port) {
    try {
      return new RawClient(port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A connection that was greeted. */
  public static RawClient greeted(ServerProcess server) {
    return greet(silent(server));
  }

  /** A client that has greeted whatever listens on a port of this machine. */
  public static RawClient greeted(int port) {
    return greet(silent(port));
  }

  private static RawClient greet(RawClient client) {
    Frame answer =
        client.ask(Operation.HELLO.code(), Hello.request(Protocol.SPOKEN, "raw").encode());
    assertThat(answer.kind()).isEqualTo(FrameKind.RESPONSE);
    return client;
  }

  public static byte[] bytesOf(int operation, FrameKind kind, int correlationId, byte[] payload) {
    byte[] bytes = new byte[Frame.HEADER_BYTES + payload.length];
    Frame.writeHeader(bytes, 0, operation, kind, correlationId, payload.length);
    System.arraycopy(payload, 0, bytes, Frame.HEADER_BYTES, payload.length);
    return bytes;
  }

  public void send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends as much as the server takes before it closes. */
  public void sendWhileOpen(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      socket.shutdownOutput();
    } catch (IOException e) {
      // The server has closed its end, as it may.
    }
  }

  /** Sends as much as the server takes before it closes, and stays. */
  public void sendAndStay(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      // The server has closed, as it may.
    }
  }

  public void push(Operation operation, byte[] payload) {
    send(bytesOf(operation.code(), FrameKind.PUSH, 0, payload));
  }

  /** Sends a request and returns the one frame that answers it; pushes are kept. */
  public Frame ask(int operation, byte[] payload) {
    int correlationId = ++lastCorrelationId;
    send(bytesOf(operation, FrameKind.REQUEST, correlationId, payload));
    while (true) {
      Frame frame = receive().orElseThrow(() -> new AssertionError("closed, not answered"));
      // An ERROR says that the delivery has ended, and is returned, too.
      boolean isOfDelivery =
          frame.operation() == Operation.DELIVER && operation != Operation.DELIVER.code();
      if (frame.kind() == FrameKind.PUSH || isOfDelivery) {
        pushed.add(frame);
      } else {
        assertThat(frame.correlationId()).isEqualTo(correlationId);
        assertThat(frame.operationCode()).isEqualTo(operation);
        return frame;
      }
    }
  }

  /** Sends a request that must be granted; returns the answer's payload. */
  public byte[] request(Operation operation, byte[] payload) {
    Frame answer = ask(operation.code(), payload);
    if (answer.kind() == FrameKind.ERROR) {
      throw new AssertionError(
          operation + " was refused: " + ErrorPayload.decode(answer.payload()));
    }
    return answer.payload();
  }

  public <T extends Control> T request(Operation operation, Control payload, Class<T> type) {
    return Json.decode(request(operation, Json.encode(payload)), type);
  }

  /** Sends a request that must be refused. */
  public ErrorPayload refused(Operation operation, byte[] payload) {
    return errorOf(ask(operation.code(), payload));
  }

  public ErrorPayload refused(Operation operation, Control payload) {
    return refused(operation, Json.encode(payload));
  }

  public static ErrorPayload errorOf(Frame frame) {
    assertThat(frame.kind()).isEqualTo(FrameKind.ERROR);
    ErrorPayload error = ErrorPayload.decode(frame.payload());
    assertThat(error.code()).as(error.message()).isNotEqualTo(ErrorCode.INTERNAL);
    assertThat(error.message()).isNotEmpty();
    return error;
  }

  static Frame frameOf(byte[] header, byte[] payload) {
    for (FrameKind kind : FrameKind.values()) {
      if (kind.code() == header[5]) {
        return new Frame(Binary.getByte(header, 4), kind, Binary.getInt(header, 8), payload);
      }
    }
    throw new AssertionError("a frame of kind " + header[5]);
  }

  /** The next frame; empty when the server has closed the connection. */
  public Optional<Frame> receive() {
    try {
      byte[] header = new byte[Frame.HEADER_BYTES];
      in.readFully(header);
      byte[] payload = new byte[Binary.getInt(header, 0) + 4 - Frame.HEADER_BYTES];
      in.readFully(payload);
      return Optional.of(frameOf(header, payload));
    } catch (EOFException | SocketException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next pushed frame of that operation; others are dropped. */
  public Frame awaitPush(Operation operation) {
    while (true) {
      Frame frame = pushed.poll();
      if (frame == null) {
        frame = receive().orElseThrow(() -> new AssertionError("closed, nothing pushed"));
      }
      if (frame.operation() == operation) {
        return frame;
      }
    }
  }

  /** What was pushed and not looked at. */
  public List<Frame> takePushed() {
    List<Frame> all = new ArrayList<>(pushed);
    pushed.clear();
    return all;
  }

  /** The error with which the server closes the connection: its last words. */
  public ErrorPayload closedWith(int operation, int correlationId) {
    Frame last = receive().orElseThrow(() -> new AssertionError("closed without a word"));
    assertThat(last.operationCode()).isEqualTo(operation);
    assertThat(last.correlationId()).isEqualTo(correlationId);
    ErrorPayload error = errorOf(last);
    assertThat(receive()).as("a frame after the last words").isEmpty();
    return error;
  }

  /**
   * The name of what is delivered of a channel that a session on this connection holds; attaches to
   * it when it is asked first.
   */
  public int deliveries(Assignment held) {
    return deliveries.computeIfAbsent(held.handle(), handle -> attach(held));
  }

  /** Attaches to a channel, as its holder may. */
  public int attach(Assignment held) {
    return request(Operation.ATTACH, attachment(held), Attached.class).handle();
  }

  /** The request to attach to a channel where it was checkpointed. */
  public static Attach attachment(Assignment held) {
    String tunnelId = held.channelId().substring(held.channelId().indexOf('_') + 1);
    return new Attach(
        tunnelId.endsWith("_base") ? tunnelId.substring(0, tunnelId.length() - 5) : tunnelId,
        held.channelId(),
        held.partition(),
        held.type(),
        held.epoch(),
        held.checkpointed(),
        held.key(),
        held.end(),
        held.endMs(),
        held.grant());
  }

  /** The holder of a channel accepts so many bytes more of it. */
  public void credit(Assignment held, int bytes) {
    push(Operation.CREDIT, new Credit(deliveries(held), held.epoch(), bytes).encode());
  }

  /** The connection still serves. */
  public void requireOpen() {
    var unused = request(Operation.LIST_TABLES, new Control.Empty(), Control.TableList.class);
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
