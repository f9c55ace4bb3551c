package io.tunnel.zookeeper;

import io.tunnel.programs.bench.seeds.publish.PathData;
import io.tunnel.programs.bench.seeds.publish.PublishCase;
import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import io.tunnel.programs.bench.seeds.publish.Publishing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * Paths as nodes of ZooKeeper, through its own client with a connection for each publisher and
 * subscriber, which take the servers in turn. Nodes that publishers create are ephemeral; nodes
 * that are set are persistent. A subscriber sets a watch on each node before the node is there.
 */
final class ZooKeeperPublishing implements Publishing {

  private static final int SESSION_MS = 30_000;

  /** Connections or requests that are begun at a time. */
  private static final int OPENING_MAX = 64;

  private static final int CLOSING_THREADS = 16;
  private static final int CLOSE_MS_MAX = 10_000;
  private static final long SECONDS_MAX = 60;

  /** As {@code ZooDefs.Ids} has it, whose annotations the compiler does not find. */
  private static final List<ACL> EVERYBODY = List.of(new ACL(Perms.ALL, new Id("world", "anyone")));

  /** Any version of a node. */
  private static final int ANY = -1;

  private final PublishCase what;
  private final String root;
  private final List<ZooKeeper> publishers = new ArrayList<>();
  private final List<ZooKeeper> subscribers = new ArrayList<>();

  private ZooKeeperPublishing(PublishCase what, String root) {
    this.what = what;
    this.root = root;
  }

  /**
   * Connects, and makes a directory for each publisher.
   *
   * @param root a node that no case before had
   */
  static ZooKeeperPublishing open(List<String> servers, PublishCase what, String root)
      throws Exception {
    ZooKeeperPublishing publishing = new ZooKeeperPublishing(what, root);
    try {
      connect(servers, what.publishers(), publishing.publishers);
      connect(servers, what.subscribers(), publishing.subscribers);
      publishing.makeDirectories();
      return publishing;
    } catch (Exception e) {
      publishing.closeConnections();
      throw e;
    }
  }

  private static void connect(List<String> servers, int count, List<ZooKeeper> connected)
      throws InterruptedException {
    all(
        count,
        number -> {
          CompletableFuture<Boolean> ready = new CompletableFuture<>();
          try {
            connected.add(
                new ZooKeeper(
                    servers.get(number % servers.size()),
                    SESSION_MS,
                    event -> {
                      if (event.getState() == KeeperState.SyncConnected) {
                        ready.complete(true);
                      }
                    }));
          } catch (IOException e) {
            ready.completeExceptionally(e);
          }
          return ready;
        });
  }

  /** Begins {@code count} requests, 64 at a time, and waits for the answers. */
  private static void all(int count, IntFunction<CompletableFuture<?>> begin)
      throws InterruptedException {
    for (int from = 0; from < count; from += OPENING_MAX) {
      List<CompletableFuture<?>> some = new ArrayList<>();
      for (int number = from; number < Math.min(count, from + OPENING_MAX); number++) {
        some.add(begin.apply(number));
      }
      for (CompletableFuture<?> each : some) {
        await(each);
      }
    }
  }

  private static void await(Future<?> future) throws InterruptedException {
    try {
      var unused = future.get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("no answer within " + SECONDS_MAX + " s", e);
    }
  }

  private void makeDirectories() throws InterruptedException {
    await(make(publishers.get(0), root));
    all(what.publishers(), number -> make(publishers.get(number), directory(number)));
  }

  private static CompletableFuture<Boolean> make(ZooKeeper connection, String path) {
    CompletableFuture<Boolean> made = new CompletableFuture<>();
    connection.create(
        path,
        new byte[0],
        EVERYBODY,
        CreateMode.PERSISTENT,
        (code, unused, context, name) ->
            wrong(code)
                .ifPresentOrElse(
                    why -> made.completeExceptionally(new IllegalStateException(why)),
                    () -> made.complete(true)),
        null);
    return made;
  }

  private static Optional<String> wrong(int code) {
    return code == Code.OK.intValue() ? Optional.empty() : Optional.of(Code.get(code).toString());
  }

  private String directory(int publisher) {
    return root + "/" + publisher;
  }

  private String node(int publisher, int path) {
    return directory(publisher) + "/" + path;
  }

  @Override
  public void follow(Events events) throws InterruptedException {
    all(what.subscribers(), number -> follow(number, events));
  }

  private CompletableFuture<?> follow(int subscriber, Events events) {
    List<CompletableFuture<Boolean>> set =
        IntStream.range(0, what.pathsOfPublisher())
            .mapToObj(path -> watch(subscriber, path, events))
            .toList();
    return CompletableFuture.allOf(set.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Boolean> watch(int subscriber, int path, Events events) {
    CompletableFuture<Boolean> set = new CompletableFuture<>();
    subscribers
        .get(subscriber)
        .exists(
            node(what.publisherOf(subscriber), path),
            event -> take(event, subscriber, path, events),
            (code, name, context, stat) -> {
              if (code == Code.NONODE.intValue()) {
                set.complete(true);
              } else {
                set.completeExceptionally(
                    new IllegalStateException(
                        "node " + name + " before its creation: " + Code.get(code)));
              }
            },
            null);
    return set;
  }

  private static void take(WatchedEvent event, int subscriber, int path, Events events) {
    if (event.getType() == EventType.NodeCreated) {
      events.created(subscriber, path);
    } else if (event.getState() != KeeperState.SyncConnected
        && event.getState() != KeeperState.Closed) {
      events.failed("connection " + subscriber + ": " + event.getState());
    }
  }

  @Override
  public void ask(int publisher, Request request, int path, Consumer<Optional<String>> answer) {
    ZooKeeper connection = publishers.get(publisher);
    String node = node(publisher, path);
    switch (request) {
      case CREATE ->
          connection.create(
              node,
              PathData.of(publisher, path, what.bytes()),
              EVERYBODY,
              what.action() == Action.SET ? CreateMode.PERSISTENT : CreateMode.EPHEMERAL,
              (code, unused, context, name) -> answer.accept(wrong(code)),
              null);
      case DELETE ->
          connection.delete(node, ANY, (code, unused, context) -> answer.accept(wrong(code)), null);
      case SET ->
          connection.setData(
              node,
              PathData.of(publisher, path, what.bytes()),
              ANY,
              (code, unused, context, stat) -> answer.accept(wrong(code)),
              null);
    }
  }

  @Override
  public void read(int subscriber, int path, Consumer<Optional<String>> answer) {
    int publisher = what.publisherOf(subscriber);
    subscribers
        .get(subscriber)
        .getData(
            node(publisher, path),
            false,
            (code, unused, context, data, stat) ->
                answer.accept(
                    wrong(code).or(() -> PathData.wrong(data, publisher, path, what.bytes()))),
            null);
  }

  /**
   * The end of a connection deletes its ephemeral nodes; a request deletes each persistent node.
   */
  @Override
  public void close() {
    try {
      if (what.action() == Action.SET) {
        all(what.publishers(), this::deletePaths);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closeConnections();
    }
  }

  private CompletableFuture<?> deletePaths(int publisher) {
    return CompletableFuture.allOf(
        IntStream.range(0, what.pathsOfPublisher())
            .mapToObj(
                path -> {
                  CompletableFuture<Boolean> deleted = new CompletableFuture<>();
                  ask(publisher, Request.DELETE, path, wrong -> deleted.complete(wrong.isEmpty()));
                  return deleted;
                })
            .toArray(CompletableFuture<?>[]::new));
  }

  private void closeConnections() {
    ExecutorService closing = Executors.newFixedThreadPool(CLOSING_THREADS);
    try {
      List<Future<?>> closed = new ArrayList<>();
      for (List<ZooKeeper> some : List.of(subscribers, publishers)) {
        for (ZooKeeper each : some) {
          closed.add(
              closing.submit(
                  // The thread that ends last closes the descriptors.
                  () -> each.close(CLOSE_MS_MAX)));
        }
      }
      for (Future<?> each : closed) {
        await(each);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closing.shutdownNow();
    }
  }
}
