package io.tunnel.server.cluster;

import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.net.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices at once when the process of another node ends, before the node's session in the group
 * ends. The watch keeps a connection to each node open; the operating system closes the connection
 * when the process ends, and then nothing listens at the node's address. The watch does not notice
 * a node that hangs or whose machine fails; the group's session timeout covers these.
 *
 * <p>A thread for each node reads from the silent connection to the node.
 */
public final class PeerWatch implements Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(PeerWatch.class);
  private static final int CONNECT_MS_MAX = 2_000;

  /** Pause after a connection on which the node answered: the process may have just ended. */
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Longest pause between failing connections. */
  static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

  private final String self;
  private final SocketFactory sockets;
  private final Consumer<String> gone;
  private final Map<Placement.Member, Watch> watches = new HashMap<>();

  /**
   * Watches no node yet.
   *
   * @param self name of this node, which the watch skips
   * @param sockets makes connections to other nodes, with TLS where the nodes use TLS
   * @param gone takes the name of a node whose process has ended; called by any thread
   */
  public PeerWatch(String self, SocketFactory sockets, Consumer<String> gone) {
    this.self = self;
    this.sockets = sockets;
    this.gone = gone;
  }

  /** Watches exactly these nodes from now on. */
  public synchronized void watch(Iterable<Placement.Member> members) {
    Set<Placement.Member> others = new HashSet<>();
    for (Placement.Member member : members) {
      if (!member.name().equals(self)) {
        others.add(settled(member));
      }
    }
    watches
        .entrySet()
        .removeIf(entry -> !others.contains(entry.getKey()) && entry.getValue().end());
    for (Placement.Member member : others) {
      watches.computeIfAbsent(member, Watch::new);
    }
  }

  /** The member without its draining flag, which does not concern the watch. */
  private static Placement.Member settled(Placement.Member member) {
    return new Placement.Member(
        member.name(), member.incarnation(), member.address(), false, member.levelMax());
  }

  @Override
  public synchronized void close() {
    watches.values().forEach(Watch::end);
    watches.clear();
  }

  /** The pause before the next connection, after one ended or failed. */
  static long pauseNanos(long formerNanos, boolean wasAnswered) {
    return wasAnswered ? PAUSE_NANOS : Math.min(2 * formerNanos, PAUSE_NANOS_MAX);
  }

  private final class Watch implements Runnable {
    private final Placement.Member member;
    private final Thread thread;
    private volatile Socket socket = new Socket();
    private volatile boolean isOver;

    Watch(Placement.Member member) {
      this.member = member;
      this.thread = new Thread(this, "watch-" + member.name());
      thread.setDaemon(true);
      thread.start();
    }

    boolean end() {
      isOver = true;
      LockSupport.unpark(thread);
      closeQuietly();
      return true;
    }

    private void closeQuietly() {
      try {
        socket.close();
      } catch (IOException e) {
        LOGGER.debug("closing the connection to {}", member.name(), e);
      }
    }

    @Override
    public void run() {
      boolean wasConnected = false;
      long pauseNanos = PAUSE_NANOS;
      while (!isOver) {
        boolean wasAnswered = false;
        try (Socket connection = sockets.createSocket()) {
          socket = connection;
          connection.connect(address(), CONNECT_MS_MAX);
          wasConnected = true;
          greet(connection);
          wasAnswered = connection.getInputStream().read() >= 0;
          readToEnd(connection);
        } catch (ConnectException e) {
          if (wasConnected && !isOver) {
            wasConnected = false;
            LOGGER.warn("the process of node {} has ended", member.name());
            gone.accept(member.name());
          }
        } catch (IOException e) {
          LOGGER.debug("the connection to node {} ended", member.name(), e);
        }
        pauseNanos = pauseNanos(pauseNanos, wasAnswered);
        LockSupport.parkNanos(this, pauseNanos);
      }
    }

    /**
     * Resolves the host's name each time: the lookup can take long, fail, or give a new address.
     */
    private InetSocketAddress address() throws UnknownHostException {
      int colon = member.address().lastIndexOf(':');
      try {
        return new InetSocketAddress(
            member.address().substring(0, colon),
            Integer.parseInt(member.address().substring(colon + 1)));
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        throw new UnknownHostException(member.address());
      }
    }

    private void greet(Socket connection) throws IOException {
      byte[] hello = Hello.request(Protocol.SPOKEN, "node " + self).encode();
      Frame frame = new Frame(Operation.HELLO, FrameKind.REQUEST, 0, hello);
      connection.getOutputStream().write(frame.header());
      connection.getOutputStream().write(frame.payload());
    }

    private void readToEnd(Socket connection) throws IOException {
      InputStream in = connection.getInputStream();
      byte[] answer = new byte[256];
      while (in.read(answer) >= 0) {
        // The node answers the greeting, and sends nothing more while its process runs.
      }
    }
  }
}
