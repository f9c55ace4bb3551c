package io.tunnel.sdk.read;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EndpointsCore;
import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import io.tunnel.wire.PartitionControl.FindPositions;
import io.tunnel.wire.PartitionControl.FoundPositions;
import io.tunnel.wire.PartitionControl.Positions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The partitions that a reader reads, and the connections that they share: one to each node that
 * serves some of them. On the reader's thread, but for what says otherwise.
 */
public final class Feeds {

  private static final long FIND_END_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ReadPort port;
  private final String table;
  private final PartitionReaderConfig config;
  private final EndpointsCore endpoints;
  private final Inbox inbox = new Inbox();
  private final Map<Integer, PartitionFeed> feeds = new HashMap<>();
  private final Map<Endpoint, NodeLink> links = new HashMap<>();
  private final Map<Integer, Endpoint> leaders = new HashMap<>();
  private long begun;
  private boolean looksForEnds;
  private boolean isClosed;

  /** Reads partitions of {@code table}; where the service is reached is tried in turn. */
  public Feeds(ReadPort port, List<Endpoint> known, String table, PartitionReaderConfig config) {
    this.port = port;
    this.table = table;
    this.config = config;
    this.endpoints = new EndpointsCore(known, port.chance());
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
          // The same partition may have been begun anew.
          if (feed != null && feed.number() == received.feed()) {
            feed.released(received.bytes());
          }
        });
  }

  /** Asks any node, once; may be called by any thread. */
  public CompletableFuture<Frame> ask(Operation operation, byte[] payload) {
    CompletableFuture<Frame> answer = new CompletableFuture<>();
    port.execute(
        () -> {
          var unused =
              anyLink()
                  .request(operation, payload)
                  .whenComplete(
                      (frame, failure) -> {
                        if (failure == null) {
                          answer.complete(frame);
                        } else {
                          answer.completeExceptionally(Caller.unwrap(failure));
                        }
                      });
        });
    return answer;
  }

  /** What is known of the table's partitions, and of who serves them. */
  public void learn(TableDescription described) {
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

  NodeLink linkFor(int partition) {
    Endpoint leader = leaders.get(partition);
    return leader == null ? anyLink() : linkTo(leader);
  }

  private NodeLink anyLink() {
    return links.values().stream().findFirst().orElseGet(() -> linkTo(endpoints.inTurn().get(0)));
  }

  private NodeLink linkTo(Endpoint node) {
    NodeLink known = links.get(node);
    if (known != null) {
      return known;
    }
    NodeLink link = new NodeLink(node, port, () -> links.remove(node));
    links.put(node, link);
    link.open();
    return link;
  }

  /** That node does not deliver the partition: whom it named is asked next, or any other. */
  void left(int partition, Endpoint node, Throwable reason) {
    leaders.remove(partition, node);
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
          () -> {
            looksForEnds = false;
            if (!isClosed) {
              lookForEnds();
            }
          },
          FIND_END_NANOS);
    }
  }

  private void findEnd(long endMs) {
    byte[] request = Json.encode(new FindPositions(table, Optional.of(endMs)));
    var unused =
        anyLink()
            .request(Operation.FIND_POSITIONS, request)
            .whenComplete(
                (frame, failure) -> {
                  if (failure == null) {
                    found(endMs, Json.decode(frame.payload(), FoundPositions.class));
                  } else if (Caller.unwrap(failure) instanceof RefusedException refused
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

  /** Ends with everything; may be called by any thread. */
  public void close() {
    port.execute(
        () -> {
          isClosed = true;
          feeds.values().forEach(PartitionFeed::end);
          feeds.clear();
          List.copyOf(links.values()).forEach(NodeLink::close);
        });
    port.close();
  }
}
