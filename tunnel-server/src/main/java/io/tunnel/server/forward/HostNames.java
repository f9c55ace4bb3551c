package io.tunnel.server.forward;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Finds the addresses of nodes. The system's look-up of a name blocks, for minutes when a name
 * server hangs, and cannot be interrupted. So threads of their own look names up, at most {@value
 * #THREADS_MAX}, and a caller waits at most {@value #WAIT_MS_MAX} ms. One look-up runs for a name
 * at a time: a name that hangs takes one thread. An address in digits is no name, and is found at
 * once. For any thread; the monitor guards the look-ups that run.
 */
final class HostNames implements AutoCloseable {

  static final int THREADS_MAX = 4;
  static final long WAIT_MS_MAX = 2_000;

  private static final int WAITING_MAX = 64;
  private static final long IDLE_S_MAX = 10;

  private final Lookup lookup;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS_MAX,
          THREADS_MAX,
          IDLE_S_MAX,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAITING_MAX),
          // Daemons: a look-up that hangs does not keep the process.
          new DefaultThreadFactory("forward-names", true));

  /** Look-ups that run or wait, by name. */
  private final Map<String, CompletableFuture<InetAddress>> running = new HashMap<>();

  /** Finds the address of a name; blocks. */
  @FunctionalInterface
  interface Lookup {
    InetAddress find(String name) throws UnknownHostException;
  }

  HostNames(Lookup lookup) {
    this.lookup = lookup;
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * The address of a node.
   *
   * @param node HOST:PORT
   * @return fails when the name is unknown, or not found in time
   * @throws IllegalArgumentException when the text is not HOST:PORT
   */
  CompletableFuture<InetSocketAddress> find(String node) {
    int colon = node.lastIndexOf(':');
    String host;
    int port;
    try {
      host = node.substring(0, colon);
      port =
          InetSocketAddress.createUnresolved(host, Integer.parseInt(node.substring(colon + 1)))
              .getPort();
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("'" + node + "' is not HOST:PORT", e);
    }
    byte[] digits = NetUtil.createByteArrayFromIpAddressString(host);
    CompletableFuture<InetAddress> found =
        digits == null ? found(host) : CompletableFuture.completedFuture(address(host, digits));
    return found.thenApply(address -> new InetSocketAddress(address, port));
  }

  private static InetAddress address(String host, byte[] digits) {
    try {
      return InetAddress.getByAddress(host, digits);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(digits.length + " bytes of the address " + host, e);
    }
  }

  private CompletableFuture<InetAddress> found(String name) {
    CompletableFuture<InetAddress> look;
    boolean isNew;
    synchronized (running) {
      isNew = !running.containsKey(name);
      look = running.computeIfAbsent(name, unused -> new CompletableFuture<>());
    }
    if (isNew) {
      begin(name, look);
    }
    return look.copy().orTimeout(WAIT_MS_MAX, TimeUnit.MILLISECONDS);
  }

  private void begin(String name, CompletableFuture<InetAddress> look) {
    try {
      threads.execute(() -> look(name, look));
    } catch (RejectedExecutionException e) {
      end(name);
      boolean unused =
          look.completeExceptionally(
              new UnknownHostException(
                  "cannot look up '" + name + "': " + WAITING_MAX + " names wait already"));
    }
  }

  private void look(String name, CompletableFuture<InetAddress> look) {
    try {
      InetAddress found = lookup.find(name);
      end(name);
      boolean unused = look.complete(found);
    } catch (UnknownHostException | RuntimeException e) {
      end(name);
      boolean unused = look.completeExceptionally(e);
    }
  }

  private void end(String name) {
    synchronized (running) {
      running.remove(name);
    }
  }

  /** Ends the threads. Does not wait for look-ups that hang; their threads end with them. */
  @Override
  public void close() {
    var unused = threads.shutdownNow();
  }
}
