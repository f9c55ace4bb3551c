package io.tunnel.server.node;

import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.partition.Shard;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.LookRequest.Question;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;

/**
 * Asks nodes, over one connection per node. A connection opens with the first question, and closes
 * after {@value #IDLE_MS} ms without questions. Questions in flight are bounded in count and bytes.
 * A question fails after {@value #DEADLINE_MS} ms, and closes its connection, because the node
 * hangs. When a connection breaks, the questions without an answer are asked once more, on a new
 * connection. A question that is asked twice does no harm.
 *
 * <p>The monitor guards the fields. Neither a connection nor a caller is called under the monitor.
 */
final class PeerLooks implements Peers, Closeable {

  /** Milliseconds until a question without an answer fails. */
  static final long DEADLINE_MS = 3_000;

  /** Milliseconds that a connection without questions stays open, up to twice as long. */
  static final long IDLE_MS = 30_000;

  /** Most requests without an answer, of all nodes together. */
  static final int ASKS_MAX = 1_024;

  /** Most bytes of requests without an answer, of all nodes together. */
  static final long BYTES_MAX = 4L << 20;

  /**
   * One node may hold so small a part of both limits: a node that hangs leaves capacity for others.
   */
  static final int PART_OF_NODE = 4;

  private final String self;
  private final Tools tools;
  private final Map<Placement.Member, PeerLink> links = new HashMap<>();
  private final List<PeerLink> ending = new ArrayList<>();

  /** Requests without an answer, of all nodes. */
  private Held all = Held.NOTHING;

  /** By the name of a node with requests without an answer, these. */
  private final Map<String, Held> ofNode = new HashMap<>();

  private boolean isClosed;

  /**
   * What connections need.
   *
   * @param sockets makes connections to other nodes, with TLS where the nodes use TLS
   */
  record Tools(SocketFactory sockets, NodeSeals seals, Shard.Clock clock, Later later) {}

  /**
   * Without connections.
   *
   * @param self name of this node
   */
  PeerLooks(String self, Tools tools) {
    this.self = self;
    this.tools = tools;
  }

  /** Requests without an answer, and their bytes; both at least 0. */
  private record Held(int asks, long bytes) {
    static final Held NOTHING = new Held(0, 0);

    Held plus(int count, long more) {
      return new Held(asks + count, bytes + more);
    }

    /** Whether one part of the limits has capacity for a request of {@code more} bytes. */
    boolean takes(long more, int part) {
      return asks < ASKS_MAX / part && bytes + more <= BYTES_MAX / part;
    }
  }

  /** A request without an answer. */
  static final class Ask {
    final Placement.Member node;
    final List<Question> questions;
    final byte[] payload;
    final CompletableFuture<List<Part>> answer = new CompletableFuture<>();

    /** True when a connection broke before the answer. One thread at a time has the request. */
    volatile boolean isRepeated;

    private Ask(Placement.Member node, List<Question> questions, byte[] payload) {
      this.node = node;
      this.questions = questions;
      this.payload = payload;
    }

    void fail(Exception why) {
      boolean unused = answer.completeExceptionally(why);
    }
  }

  @Override
  public CompletableFuture<List<Part>> ask(Placement.Member member, List<Question> questions) {
    Placement.Member node = settled(member);
    Ask ask;
    try {
      ask = new Ask(node, List.copyOf(questions), sealed(node, questions));
      begin(ask);
    } catch (IOException | RefusedException e) {
      return CompletableFuture.failedFuture(e);
    }
    var unused = ask.answer.whenComplete((parts, failure) -> ended(ask));
    send(ask);
    if (!tools.later().after(DEADLINE_MS, () -> late(ask))) {
      ask.fail(stopping());
    }
    return ask.answer;
  }

  /** The member without flags that a connection does not depend on. */
  private static Placement.Member settled(Placement.Member member) {
    return new Placement.Member(member.name(), member.incarnation(), member.address(), false, 0);
  }

  private byte[] sealed(Placement.Member node, List<Question> questions) {
    long nowMs = TimeUnit.MICROSECONDS.toMillis(tools.clock().epochMicros());
    return tools.seals().seal(new LookRequest(self, node.name(), nowMs, questions));
  }

  private static IOException stopping() {
    return new IOException("this node is stopping, and asks no other node");
  }

  private synchronized void begin(Ask ask) throws IOException {
    if (isClosed) {
      throw stopping();
    }
    Held here = ofNode.getOrDefault(ask.node.name(), Held.NOTHING);
    int more = ask.payload.length;
    if (!here.takes(more, PART_OF_NODE)) {
      throw tooMany(here, ask.node, "of the node");
    }
    if (!all.takes(more, 1)) {
      throw tooMany(all, ask.node, "of all nodes");
    }
    all = all.plus(1, more);
    ofNode.put(ask.node.name(), here.plus(1, more));
  }

  private static IOException tooMany(Held held, Placement.Member node, String whose) {
    return new IOException(
        "%d requests of %d bytes wait for answers %s; cannot ask node %s too; will ask later"
            .formatted(held.asks(), held.bytes(), whose, node.name()));
  }

  private synchronized void ended(Ask ask) {
    all = all.plus(-1, -ask.payload.length);
    Held left = ofNode.get(ask.node.name()).plus(-1, -ask.payload.length);
    if (left.asks() == 0) {
      ofNode.remove(ask.node.name());
    } else {
      ofNode.put(ask.node.name(), left);
    }
  }

  private void send(Ask ask) {
    boolean isSent = false;
    while (!isSent && !ask.answer.isDone()) {
      PeerLink link;
      synchronized (this) {
        if (isClosed) {
          break;
        }
        link = links.computeIfAbsent(ask.node, this::link);
      }
      isSent = link.take(ask);
      if (!isSent) {
        // The connection ended after the look at the map.
        remove(link);
      }
    }
    if (!isSent) {
      ask.fail(stopping());
    }
  }

  private PeerLink link(Placement.Member node) {
    PeerLink link =
        new PeerLink(
            node, () -> sealed(node, List.of()), new PeerLink.Tools(self, tools, this::over));
    link.start();
    return link;
  }

  private synchronized void remove(PeerLink link) {
    if (links.remove(link.node(), link)) {
      ending.removeIf(PeerLink::isEnded);
      ending.add(link);
    }
  }

  /** A connection is over; called once for each connection. */
  private void over(PeerLink link, List<Ask> unanswered, IOException why, boolean wasOpen) {
    remove(link);
    for (Ask ask : unanswered) {
      if (wasOpen && !ask.isRepeated) {
        ask.isRepeated = true;
        send(ask);
      } else {
        ask.fail(why);
      }
    }
  }

  private void late(Ask ask) {
    if (ask.answer.isDone()) {
      return;
    }
    ask.fail(
        new IOException(
            "node "
                + ask.node.name()
                + " at "
                + ask.node.address()
                + " did not answer in "
                + DEADLINE_MS
                + " ms"));
    PeerLink link;
    synchronized (this) {
      link = links.get(ask.node);
    }
    if (link != null && link.has(ask)) {
      link.end("it does not answer");
    }
  }

  /** Connections, for tests. */
  synchronized int connectionCount() {
    return links.size();
  }

  /** Requests without an answer, for tests. */
  synchronized int askCount() {
    return all.asks();
  }

  /** Ends all connections and their threads; questions without an answer fail. Idempotent. */
  @Override
  public void close() {
    List<PeerLink> open;
    synchronized (this) {
      isClosed = true;
      open = new ArrayList<>(links.values());
      open.addAll(ending);
    }
    open.forEach(link -> link.end("this node is stopping"));
    open.forEach(PeerLink::join);
  }
}
