package io.tunnel.server.node;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.node.PeerLooks.Ask;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.LookAnswer;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to another node, from the first question to the end. Two threads serve the
 * connection: one connects, introduces this node and reads; the other one writes. So a node that
 * does not read delays no answer. The peer proves by the seal of its first answer that the peer is
 * the node; no question is sent before.
 *
 * <p>The monitor guards the fields. Only the socket is called under the monitor, to close it.
 */
final class PeerLink {

  private static final Logger LOGGER = LoggerFactory.getLogger(PeerLink.class);

  /** Most bytes of an answer's frame. */
  static final int ANSWER_BYTES_MAX = 1 << 20;

  private static final int CONNECT_MS_MAX = 1_000;
  private static final int ENTRANCE_MS_MAX = 2_000;
  private static final int READ_BYTES = 16 << 10;
  private static final long JOIN_MS_MAX = 5_000;
  private static final int GREETING_ID = 1;
  private static final int INTRODUCTION_ID = 2;

  private final Placement.Member node;
  private final Supplier<byte[]> introduction;
  private final Tools tools;
  private final Thread reader;
  private final Thread writer;

  /** Requests that are not written yet; empty when OVER. */
  private final Deque<Ask> waiting = new ArrayDeque<>();

  /** By their ids, requests that are written or being written; empty when OVER. */
  private final Map<Integer, Ask> sent = new HashMap<>();

  private State state = State.ENTERING;
  private Optional<Socket> socket = Optional.empty();

  /** The newest id; ids of a connection rise. */
  private int lastId = INTRODUCTION_ID;

  /** Requests that the connection took. */
  private long taken;

  private enum State {
    /** Connects, or waits for the proof of the peer. */
    ENTERING,
    /** Writes requests and reads answers. */
    OPEN,
    /** The socket is closed, or will not be opened. */
    OVER
  }

  /** The owner of the connection. */
  @FunctionalInterface
  interface Owner {

    /**
     * The connection is over; called once, by any thread.
     *
     * @param wasOpen whether the peer had proved that it is the node
     */
    void over(PeerLink link, List<Ask> unanswered, IOException why, boolean wasOpen);
  }

  /**
   * What a connection needs.
   *
   * @param self name of this node
   */
  record Tools(String self, PeerLooks.Tools shared, Owner owner) {}

  /** A request with its id on the connection. */
  private record Outgoing(int id, Ask ask) {}

  /**
   * A connection that {@link #start} opens.
   *
   * @param introduction the payload of a request without questions, made when it is sent
   */
  PeerLink(Placement.Member node, Supplier<byte[]> introduction, Tools tools) {
    this.node = node;
    this.introduction = introduction;
    this.tools = tools;
    this.reader = daemon(this::run, "look-" + node.name());
    this.writer = daemon(this::writeAll, "look-" + node.name() + "-out");
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  Placement.Member node() {
    return node;
  }

  /** Begins to connect. */
  void start() {
    reader.start();
  }

  /** Takes a request; false when the connection is over. */
  synchronized boolean take(Ask ask) {
    if (state == State.OVER) {
      return false;
    }
    waiting.add(ask);
    taken++;
    notifyAll();
    return true;
  }

  /** True while the request waits for an answer on the connection. */
  synchronized boolean has(Ask ask) {
    return waiting.contains(ask) || sent.containsValue(ask);
  }

  /** Whether no thread of the connection runs any more. */
  boolean isEnded() {
    return !reader.isAlive() && !writer.isAlive();
  }

  private void run() {
    try (Socket connection = tools.shared().sockets().createSocket()) {
      if (!attach(connection)) {
        return;
      }
      connection.connect(address(), CONNECT_MS_MAX);
      connection.setTcpNoDelay(true);
      // Closing must not wait for a writer whose peer does not read.
      connection.setSoLinger(true, 0);
      connection.setSoTimeout(ENTRANCE_MS_MAX);
      Frames frames = new Frames(connection.getInputStream());
      enter(connection.getOutputStream(), frames);
      connection.setSoTimeout(0);
      if (open()) {
        watch(0);
        while (true) {
          take(frames.next());
        }
      }
    } catch (IOException | RuntimeException e) {
      LOGGER.debug("the connection to node {} ended", node.name(), e);
      end(String.valueOf(e.getMessage()));
    }
  }

  /** Keeps the socket, for {@link #end} to close; false when the connection is over. */
  private synchronized boolean attach(Socket connection) {
    socket = Optional.of(connection);
    return state != State.OVER;
  }

  private synchronized boolean open() {
    if (state == State.OVER) {
      return false;
    }
    state = State.OPEN;
    writer.start();
    return true;
  }

  /** Resolves the host's name each time: a node may get another address. */
  private InetSocketAddress address() throws UnknownHostException {
    int colon = node.address().lastIndexOf(':');
    try {
      return new InetSocketAddress(
          node.address().substring(0, colon),
          Integer.parseInt(node.address().substring(colon + 1)));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new UnknownHostException(node.address());
    }
  }

  private void enter(OutputStream out, Frames frames) throws IOException {
    byte[] hello = Hello.request(Protocol.SPOKEN, "node " + tools.self()).encode();
    write(out, Operation.HELLO, GREETING_ID, hello);
    Agreement unused = Hello.decode(answer(frames, GREETING_ID)).confirm(Protocol.SPOKEN);
    byte[] introduced = introduction.get();
    write(out, Operation.LOOK, INTRODUCTION_ID, introduced);
    LookAnswer proof =
        tools.shared().seals().openAnswer(introduced, answer(frames, INTRODUCTION_ID));
    if (!proof.parts().isEmpty()) {
      throw new MalformedException("an answer to no question");
    }
  }

  private static byte[] answer(Frames frames, int id) throws IOException {
    Frame frame = frames.next();
    if (frame.kind() == FrameKind.ERROR) {
      throw ErrorPayload.decode(frame.payload()).toException();
    }
    if (frame.kind() != FrameKind.RESPONSE || frame.correlationId() != id) {
      throw new MalformedException("a " + frame.kind() + " in place of the answer " + id);
    }
    return frame.payload();
  }

  private static void write(OutputStream out, Operation operation, int id, byte[] payload)
      throws IOException {
    Frame frame = new Frame(operation, FrameKind.REQUEST, id, payload);
    out.write(frame.header());
    out.write(frame.payload());
    out.flush();
  }

  /** Reads complete frames from a stream. */
  private static final class Frames {
    private final InputStream in;
    private final FrameAssembler assembler = new FrameAssembler(ANSWER_BYTES_MAX);
    private final byte[] bytes = new byte[READ_BYTES];
    private final Deque<Frame> whole = new ArrayDeque<>();

    Frames(InputStream in) {
      this.in = in;
    }

    Frame next() throws IOException {
      while (whole.isEmpty()) {
        int count = in.read(bytes);
        if (count < 0) {
          throw new IOException("the connection was closed");
        }
        assembler.feed(ByteBuffer.wrap(bytes, 0, count), whole::add);
      }
      return whole.remove();
    }
  }

  private void writeAll() {
    try {
      OutputStream out = stream();
      for (Optional<Outgoing> next = next(); next.isPresent(); next = next()) {
        write(out, Operation.LOOK, next.get().id(), next.get().ask().payload);
      }
    } catch (IOException | RuntimeException e) {
      LOGGER.debug("writing to node {} failed", node.name(), e);
      end(String.valueOf(e.getMessage()));
    }
  }

  private synchronized OutputStream stream() throws IOException {
    return socket.orElseThrow().getOutputStream();
  }

  /** The next request to write, when there is one; empty when the connection is over. */
  private synchronized Optional<Outgoing> next() throws IOException {
    while (state == State.OPEN && waiting.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
    }
    if (state == State.OVER) {
      return Optional.empty();
    }
    Ask ask = waiting.remove();
    sent.put(++lastId, ask);
    return Optional.of(new Outgoing(lastId, ask));
  }

  private void take(Frame frame) {
    boolean isAnswer = frame.kind() == FrameKind.RESPONSE && frame.operation() == Operation.LOOK;
    if (!isAnswer && frame.kind() != FrameKind.ERROR) {
      throw new MalformedException("a " + frame.kind() + " in place of an answer");
    }
    Ask ask = asked(frame);
    if (frame.kind() == FrameKind.ERROR) {
      forget(frame.correlationId());
      ask.fail(ErrorPayload.decode(frame.payload()).toException());
      return;
    }
    LookAnswer answer = tools.shared().seals().openAnswer(ask.payload, frame.payload());
    if (!answer.isTo(ask.questions)) {
      throw new MalformedException("an answer to other questions");
    }
    forget(frame.correlationId());
    boolean unused = ask.answer.complete(answer.parts());
  }

  /**
   * The request that a frame answers.
   *
   * @throws RefusedException when the node ends the connection with a reason
   */
  private synchronized Ask asked(Frame frame) {
    Ask ask = sent.get(frame.correlationId());
    if (ask == null) {
      throw frame.kind() == FrameKind.ERROR
          ? ErrorPayload.decode(frame.payload()).toException()
          : new MalformedException("an answer to request " + frame.correlationId());
    }
    return ask;
  }

  private synchronized void forget(int id) {
    var unused = sent.remove(id);
  }

  /** Ends a connection that took no request since the last call. */
  private void idle(long takenBefore) {
    long takenNow;
    boolean isIdle;
    synchronized (this) {
      takenNow = taken;
      isIdle = takenNow == takenBefore && waiting.isEmpty() && sent.isEmpty();
      if (state == State.OVER) {
        return;
      }
    }
    if (isIdle) {
      end("no question for a while");
    } else {
      watch(takenNow);
    }
  }

  /** Looks later whether the connection has taken more requests than {@code takenNow}. */
  private void watch(long takenNow) {
    if (!tools.shared().later().after(PeerLooks.IDLE_MS, () -> idle(takenNow))) {
      end("this node is stopping");
    }
  }

  /** Ends the connection; the owner gets the requests without an answer. Idempotent. */
  void end(String why) {
    List<Ask> unanswered;
    boolean wasOpen;
    synchronized (this) {
      if (state == State.OVER) {
        return;
      }
      wasOpen = state == State.OPEN;
      state = State.OVER;
      unanswered = new ArrayList<>(sent.values());
      unanswered.addAll(waiting);
      sent.clear();
      waiting.clear();
      closeSocket();
      notifyAll();
    }
    tools
        .owner()
        .over(
            this,
            unanswered,
            new IOException(
                "cannot ask node " + node.name() + " at " + node.address() + ": " + why),
            wasOpen);
  }

  private void closeSocket() {
    if (socket.isPresent()) {
      try {
        socket.get().close();
      } catch (IOException e) {
        LOGGER.debug("closing the connection to node {}", node.name(), e);
      }
    }
  }

  /** Waits for the end of both threads, at most {@value #JOIN_MS_MAX} ms per thread. */
  void join() {
    for (Thread thread : List.of(reader, writer)) {
      if (thread == Thread.currentThread()) {
        continue;
      }
      try {
        thread.join(JOIN_MS_MAX);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
