package io.tunnel.it.recorded;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.it.recorded.Exchange.Step;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.RowPage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Sends to a server of today what a client of the past sent, byte for byte but for the ids that a
 * server makes up, and requires the answers and pushes that it had: as each frame is sent, what had
 * come before it then has come now. JSON has to have at least the members that it had, of their
 * types; rows, positions and everything else in binary are compared exactly, but for commit times.
 */
final class RecordedClient implements AutoCloseable {

  private static final int SECONDS_MAX = 60;

  /** Members whose values a server makes up. */
  private static final Set<String> MADE_UP = Set.of("tunnelId", "channelId", "sessionId", "grant");

  private final int port;
  private final Map<Integer, FrameSocket> sockets = new HashMap<>();
  private final Map<String, String> idsOfToday = new HashMap<>();

  // Guarded by this.
  private final Map<Integer, List<Frame>> received = new HashMap<>();

  RecordedClient(int port) {
    this.port = port;
  }

  void replay(Exchange exchange) throws IOException, InterruptedException {
    for (Step step : exchange.steps()) {
      if (step.isFromClient()) {
        socket(step.connection()).send(ofToday(step));
      } else {
        requireSame(step, await(step));
      }
    }
  }

  private FrameSocket socket(int connection) throws IOException {
    FrameSocket socket = sockets.get(connection);
    if (socket == null) {
      socket = FrameSocket.connect(port);
      sockets.put(connection, socket);
      socket.read(frame -> received(connection, frame), () -> {});
    }
    return socket;
  }

  private synchronized void received(int connection, Frame frame) {
    received.computeIfAbsent(connection, unused -> new ArrayList<>()).add(frame);
    notifyAll();
  }

  private Frame ofToday(Step step) {
    Frame frame = step.frame();
    if (!step.isJson()) {
      return frame;
    }
    String text = new String(frame.payload(), StandardCharsets.UTF_8);
    for (Map.Entry<String, String> id : idsOfToday.entrySet()) {
      text = text.replace('"' + id.getKey() + '"', '"' + id.getValue() + '"');
    }
    byte[] payload = text.getBytes(StandardCharsets.UTF_8);
    return new Frame(frame.operationCode(), frame.kind(), frame.correlationId(), payload);
  }

  /** The frame of this build for a recorded frame: answers may come in another order. */
  private synchronized Frame await(Step step) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (true) {
      List<Frame> frames = received.getOrDefault(step.connection(), List.of());
      Optional<Frame> found =
          frames.stream().filter(frame -> isSameConversation(step.frame(), frame)).findFirst();
      if (found.isPresent()) {
        frames.remove(found.get());
        return found.get();
      }
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      assertThat(leftMs)
          .as("ms left for %s; there are %s", step.text(), texts(frames))
          .isPositive();
      wait(leftMs);
    }
  }

  private static List<String> texts(List<Frame> frames) {
    return frames.stream().map(frame -> new Step(0, false, frame).text()).toList();
  }

  private static boolean isSameConversation(Frame then, Frame now) {
    boolean isPush = then.kind() == FrameKind.PUSH;
    return then.operationCode() == now.operationCode()
        && isPush == (now.kind() == FrameKind.PUSH)
        && then.correlationId() == now.correlationId()
        && (!isPush || channel(then).equals(channel(now)));
  }

  /** The handle and the epoch of a push, so that channels are not taken for one another. */
  private static Bytes channel(Frame push) {
    byte[] payload = push.payload();
    if (payload[0] != '{') {
      return Bytes.copyOf(payload, 0, 12);
    }
    JsonElement handle = JsonParser.parseString(utf8(payload)).getAsJsonObject().get("handle");
    return Bytes.copyOf(String.valueOf(handle).getBytes(StandardCharsets.UTF_8));
  }

  private static String utf8(byte[] payload) {
    return new String(payload, StandardCharsets.UTF_8);
  }

  private void requireSame(Step then, Frame now) {
    assertThat(now.kind()).as(then.text()).isEqualTo(then.frame().kind());
    if (then.isJson()) {
      requireMembers(
          then.frame().operation().name(),
          JsonParser.parseString(utf8(then.frame().payload())),
          JsonParser.parseString(utf8(now.payload())));
    } else {
      assertThat(meaning(now)).as(then.text()).isEqualTo(meaning(then.frame()));
    }
  }

  private void requireMembers(String path, JsonElement then, JsonElement now) {
    if (then.isJsonObject()) {
      JsonObject object = now.getAsJsonObject();
      for (Map.Entry<String, JsonElement> member : then.getAsJsonObject().entrySet()) {
        String name = member.getKey();
        assertThat(object.has(name)).as("%s.%s", path, name).isTrue();
        requireMembers(path + "." + name, member.getValue(), object.get(name));
        if (MADE_UP.contains(name)) {
          idsOfToday.put(member.getValue().getAsString(), object.get(name).getAsString());
        }
      }
    } else if (then.isJsonArray()) {
      Iterator<JsonElement> elements = now.getAsJsonArray().iterator();
      for (JsonElement element : then.getAsJsonArray()) {
        assertThat(elements.hasNext()).as("an element as in %s", path).isTrue();
        requireMembers(path + "[]", element, elements.next());
      }
    } else if (then.isJsonPrimitive()) {
      assertThat(now.getAsJsonPrimitive().isString())
          .as(path)
          .isEqualTo(then.getAsJsonPrimitive().isString());
    }
  }

  /** What a binary frame says that does not hang on when it was said. */
  private static Object meaning(Frame frame) {
    byte[] payload = frame.payload();
    if (frame.kind() == FrameKind.ERROR) {
      return ErrorPayload.decode(payload).code();
    }
    return switch (frame.operation()) {
      case HELLO -> {
        Hello hello = Hello.decode(payload);
        yield List.of(hello.version(), hello.capabilities()); // The name is for people.
      }
      case DELIVER -> delivered(Delivery.decode(payload));
      case GET_ROW, GET_ROWS, GET_RANGE -> {
        RowPage page = RowPage.decode(payload);
        yield List.of(page.next(), page.looked().rows(), rows(page.rows()));
      }
      default -> Bytes.copyOf(payload);
    };
  }

  private static List<Object> delivered(Delivery delivery) {
    List<Object> all = new ArrayList<>();
    all.add(delivery.firstPosition());
    for (ChangeBatch batch : delivery.batches()) {
      all.add(batch.basePosition());
      all.add(rows(batch));
    }
    return all;
  }

  private static List<Object> rows(ChangeBatch batch) {
    List<Object> rows = new ArrayList<>();
    RowCursor cursor = batch.rows();
    while (cursor.next()) {
      rows.add(
          Bytes.copyOf(batch.array(), cursor.rowOffset(), cursor.rowEnd() - cursor.rowOffset()));
    }
    return rows;
  }

  @Override
  public void close() {
    sockets.values().forEach(FrameSocket::close);
  }
}
