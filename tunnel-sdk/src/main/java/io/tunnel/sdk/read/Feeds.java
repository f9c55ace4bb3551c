package io.tunnel.sdk.read;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryLinks;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EndpointsCore;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import java.time.Duration;
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
 * The partitions that a reader reads, and the connections that they share: one to each node that
 * serves some of them. On the reader's thread, but for what says otherwise.
 */
public final class Feeds {

  private static final DeliveryLink.Watch WATCH =
      new DeliveryLink.Watch(Duration.ofSeconds(10), Optional.empty());
  private static final long FIND_END_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ReadPort port;
  private final String table;
  private final PartitionReaderConfig config;
  private final EndpointsCore endpoints;
  private final Inbox inbox = new Inbox();
  private final Map<Integer, PartitionFeed> feeds = new HashMap<>();
  private final DeliveryLinks links;
  private final Map<Integer, Endpoint> leaders = new HashMap<>();

  /** Nodes that have not answered what any may be asked, since one did. */
  private final Set<Endpoint> unhelpful = new HashSet<>();

  private long begun;
  private boolean looksForEnds;
  private boolean isClosed;

  /** Reads partitions of {@code table}; where the service is reached is tried in turn. */
  public Feeds(ReadPort port, List<Endpoint> known, String table, PartitionReaderConfig config) {
    this.port = port;
    this.table = table;
    this.config = config;
    this.endpoints = new EndpointsCore(known, port.chance());
    this.links = new DeliveryLinks(port, WATCH);
  }

  /** What was delivered; for any thread. */
  public Inbox inbox() {
    return inbox;
  }

  ReadPort port() {
    return port;
  }

  /** Begins with a partition, anew if it is read already; may be called by any thread. */
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

  /** Ends with a partition; may be called by any thread. */
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

  /** The user is done with something; may be called by any thread. */
  public void release(Received received) {
    port.execute(
        () -> {
          PartitionFeed feed = feeds.get(received.start().partition());
          // The partition may have been begun anew with another feed.
          if (feed != null && feed.number() == received.feed()) {
            feed.released(received.bytes());
          }
        });
  }

  /**
   * Asks any node, once; may be called by any thread. Another is asked the next time, if one that
   * may know better is known.
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

  /** What is known of the table's partitions, and of who serves them. */
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

  /** A partition was read to its end; the others share what it had. */
  void over(PartitionFeed feed) {
    feeds.remove(feed.start().partition(), feed);
  }

  /** Bytes of one partition that may have been delivered and not be released. */
  int shareBytesMax() {
    return config.shareOf(feeds.size());
  }

  /**
   * To the node that is said to serve the partition, or to any.
   *
   * @param useless nodes that have not served it since it was last served: each other node is asked
   *     before one of them is asked again, whatever is said of who serves it; emptied when there is
   *     no other
   */
  DeliveryLink nodeFor(int partition, Set<Endpoint> useless) {
    Endpoint leader = leaders.get(partition);
    if (leader != null && useless.containsAll(endpoints.inTurn())) {
      useless.clear();
    }
    return leader == null || useless.contains(leader) ? anyNode(useless) : nodeAt(leader);
  }

  /** Where there is a connection already, or the first in turn; when all are useless, that. */
  private DeliveryLink anyNode(Set<Endpoint> useless) {
    List<Endpoint> turn = endpoints.inTurn();
    List<Endpoint> left = turn.stream().filter(node -> !useless.contains(node)).toList();
    if (left.isEmpty()) {
      useless.clear();
      return nodeAt(turn.get(0));
    }
    return nodeAt(left.stream().filter(links::has).findFirst().orElse(left.get(0)));
  }

  /** Whether another node may do what this one did not; one that is busy may know best. */
  static boolean isUseless(Throwable reason) {
    return !(reason instanceof RefusedException refused)
        || (refused.retriable() && refused.code() != ErrorCode.BUSY);
  }

  /** The connection stays while the reader does: partitions that begin later may need it. */
  private DeliveryLink nodeAt(Endpoint endpoint) {
    DeliveryLink link = links.to(endpoint);
    link.join(this);
    return link;
  }

  /** That node does not deliver the partition: whom it named is asked next, or any other. */
  void left(int partition, Endpoint node, Throwable reason) {
    if (isUseless(reason)) {
      leaders.remove(partition, node);
      endpoints.leave(node);
    }
    if (reason instanceof RefusedException refused) {
      Endpoint.told(refused.leader()).ifPresent(leader -> learn(partition, leader));
    } else {
      endpoints.unreachable(node);
    }
  }

  /** Ends in time become ends in position when the server's clock has passed them. */
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
   * Ends with everything, also with what others wait for: they are told that the reader is closed.
   * May be called by any thread.
   */
  public void close() {
    inbox.fail(closed());
    port.execute(
        () -> {
          isClosed = true;
          feeds.values().forEach(PartitionFeed::end);
          feeds.clear();
          links.end(closed());
        });
    port.close();
  }
}
