package io.tunnel.sdk.read;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryLinks;
import io.tunnel.sdk.delivery.PartitionDelivery;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EndpointsCore;
import io.tunnel.wire.Frame;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The partitions of a reader, and the knowledge that they share: connections to nodes, and the
 * leader of each partition. Runs on the reader's thread, except methods for any thread.
 */
public final class Feeds {

  private static final long FIND_END_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FeedThread thread;
  private final ReadPort port;
  private final String table;
  private final PartitionReaderConfig config;

  /** The keys that the partitions are watched for; empty to read them whole. */
  private final Optional<KeyTerms> terms;

  private final EndpointsCore endpoints;
  private final Inbox inbox = new Inbox();
  private final Map<Integer, PartitionFeed> feeds = new HashMap<>();
  private final DeliveryLinks links;
  private final Map<Integer, Endpoint> leaders = new HashMap<>();

  /** Nodes that failed to answer a general question since another node last answered one. */
  private final Set<Endpoint> unhelpful = new HashSet<>();

  private long begun;
  private boolean looksForEnds;
  private boolean isClosed;

  /** Reads partitions of {@code table} from a service with the endpoints {@code known}. */
  public Feeds(ReadPort port, List<Endpoint> known, String table, PartitionReaderConfig config) {
    this(FeedThread.own(port), known, table, config, Optional.empty());
  }

  /** As the other constructor; with terms, watches the partitions for the keys that match. */
  public Feeds(
      FeedThread thread,
      List<Endpoint> known,
      String table,
      PartitionReaderConfig config,
      Optional<KeyTerms> terms) {
    this.thread = thread;
    this.port = thread.port();
    this.table = table;
    this.config = config;
    this.terms = terms;
    this.endpoints = new EndpointsCore(known, port.chance());
    this.links = thread.links();
  }

  Optional<KeyTerms> terms() {
    return terms;
  }

  /** The received deliveries; for any thread. */
  public Inbox inbox() {
    return inbox;
  }

  DeliveryLinks links() {
    return links;
  }

  /** Nanoseconds since an arbitrary moment. */
  public long nowNanos() {
    return port.nowNanos();
  }

  /** Begins to read a partition, again if it is being read; for any thread. */
  public void start(ReadStart start) {
    port.execute(
        () -> {
          end(start.partition());
          if (!isClosed) {
            begun++;
            PartitionFeed feed = new PartitionFeed(begun, start, this, config);
            feeds.put(start.partition(), feed);
            feed.seek();
            lookForEnds();
          }
        });
  }

  /** Stops reading a partition; for any thread. */
  public void stop(int partition) {
    port.execute(() -> end(partition));
  }

  private void end(int partition) {
    PartitionFeed feed = feeds.remove(partition);
    if (feed != null) {
      feed.end();
    }
    inbox.forget(partition);
  }

  /** Returns the credit of a delivery that the program has processed; for any thread. */
  public void release(Received received) {
    port.execute(
        () -> {
          PartitionFeed feed = feeds.get(received.start().partition());
          // A new feed may have replaced the feed that received this delivery.
          if (feed != null && feed.number() == received.feed()) {
            feed.released(received.bytes());
          }
        });
  }

  /**
   * Sends one request to any node; for any thread. After a failure, the next call asks another node
   * if a further node is known.
   */
  public CompletableFuture<Frame> ask(Operation operation, byte[] payload) {
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    boolean isRun =
        port.execute(
            () -> {
              if (isClosed) {
                answer.completeExceptionally(closed());
                return;
              }
              askAny(
                  operation,
                  payload,
                  (frame, failure) -> {
                    if (failure == null) {
                      answer.complete(frame);
                    } else {
                      answer.completeExceptionally(failure);
                    }
                  });
            });
    if (!isRun) {
      answer.completeExceptionally(closed());
    }
    return answer;
  }

  private void askAny(Operation operation, byte[] payload, BiConsumer<Frame, Throwable> answered) {
    DeliveryLink server = anyNode(unhelpful);
    Endpoint node = server.node().orElseThrow();
    var unused =
        server
            .request(operation, payload)
            .whenComplete(
                (frame, failure) -> {
                  Throwable reason = Caller.unwrap(failure);
                  if (reason == null) {
                    unhelpful.clear();
                  } else if (isUseless(reason)) {
                    unhelpful.add(node);
                    endpoints.leave(node);
                  }
                  answered.accept(frame, reason);
                });
  }

  static ConnectionException closed() {
    return new ConnectionException("the reader is closed", false, null);
  }

  /** Learns the leaders of the table's partitions. */
  public void learn(TableInfo described) {
    port.execute(
        () ->
            described
                .partitions()
                .forEach(
                    partition ->
                        Endpoint.told(partition.leader())
                            .ifPresent(leader -> learn(partition.id(), leader))));
  }

  private void learn(int partition, Endpoint leader) {
    endpoints.learn(leader);
    leaders.put(partition, leader);
  }

  /** Forgets a partition that was read to its end; the other partitions share its credit. */
  void over(PartitionFeed feed) {
    feeds.remove(feed.start().partition(), feed);
  }

  /** Credit of one partition in bytes: the limit of its deliveries that are not released. */
  int shareBytesMax() {
    return config.shareOf(feeds.size());
  }

  /**
   * The connection to the node to ask for a partition: the known leader, or else any node.
   *
   * @param useless nodes that failed to serve the partition since it was last served: they are
   *     asked again only after every further node, even if a node names one of them as the leader.
   *     Cleared when every node is in the set
   */
  DeliveryLink nodeFor(int partition, Set<Endpoint> useless) {
    Endpoint leader = leaders.get(partition);
    if (leader != null && useless.containsAll(endpoints.inTurn())) {
      useless.clear();
    }
    return leader == null || useless.contains(leader) ? anyNode(useless) : nodeAt(leader);
  }

  /** Prefers an open connection to a useful node, then the next useful node, then any node. */
  private DeliveryLink anyNode(Set<Endpoint> useless) {
    List<Endpoint> turn = endpoints.inTurn();
    List<Endpoint> left = turn.stream().filter(node -> !useless.contains(node)).toList();
    if (left.isEmpty()) {
      useless.clear();
      return nodeAt(turn.get(0));
    }
    return nodeAt(left.stream().filter(links::has).findFirst().orElse(left.get(0)));
  }

  /** True when a further node may serve the request; a busy node may well be the leader. */
  static boolean isUseless(Throwable reason) {
    return !(reason instanceof RefusedException refused)
        || (refused.retriable() && refused.code() != ErrorCode.BUSY);
  }

  /** Keeps the connection open as long as the reader, for partitions that begin later. */
  private DeliveryLink nodeAt(Endpoint endpoint) {
    DeliveryLink link = links.to(endpoint);
    link.join(this);
    return link;
  }

  /** Notes that {@code node} does not deliver the partition, and which leader it named, if any. */
  void left(int partition, Endpoint node, Throwable reason) {
    if (isUseless(reason)) {
      leaders.remove(partition, node);
      endpoints.leave(node);
    }
    if (reason instanceof RefusedException) {
      PartitionDelivery.leaderIn(reason).ifPresent(leader -> learn(partition, leader));
    } else {
      endpoints.unreachable(node);
    }
  }

  /** Asks every second for the positions of end times that the server's clock has not passed. */
  private void lookForEnds() {
    if (!looksForEnds && feeds.values().stream().anyMatch(PartitionFeed::looksForEnd)) {
      looksForEnds = true;
      feeds.values().stream()
          .filter(PartitionFeed::looksForEnd)
          .map(feed -> feed.start().endMs().orElseThrow())
          .distinct()
          .forEach(this::findEnd);
      port.later(
          FIND_END_NANOS,
          () -> {
            looksForEnds = false;
            if (!isClosed) {
              lookForEnds();
            }
          });
    }
  }

  private void findEnd(long endMs) {
    byte[] request = Json.encode(new FindPositions(table, Optional.of(endMs)));
    askAny(
        Operation.FIND_POSITIONS,
        request,
        (frame, failure) -> {
          if (failure == null) {
            found(endMs, Json.decode(frame.payload(), FoundPositions.class));
          } else if (failure instanceof RefusedException refused
              && !refused.retriable()
              && refused.code() != ErrorCode.INVALID_POSITION) {
            inbox.fail(refused);
          }
        });
  }

  private void found(long endMs, FoundPositions positions) {
    for (Positions of : positions.partitions()) {
      PartitionFeed feed = feeds.get(of.partition());
      if (feed != null && feed.looksForEnd() && feed.start().endMs().equals(Optional.of(endMs))) {
        of.before().ifPresent(feed::limit);
      }
    }
  }

  /**
   * Ends all feeds, connections and pending requests: they fail with a message that the reader is
   * closed. For any thread.
   */
  public void close() {
    inbox.close(closed());
    port.execute(
        () -> {
          isClosed = true;
          feeds.values().forEach(PartitionFeed::end);
          feeds.clear();
          if (thread.isShared()) {
            links.leave(this);
          }
        });
    if (!thread.isShared()) {
      thread.close();
    }
  }
}
