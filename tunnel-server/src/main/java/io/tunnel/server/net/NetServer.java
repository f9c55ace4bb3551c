package io.tunnel.server.net;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.channel.ration.WriteWaits;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.disk.CannotStartException;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Budget;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.Shares;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.partition.read.RowReads;
import io.tunnel.server.security.files.Tls;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.server.session.RowSessionHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens, accepts connections, and gives each to an event loop. */
public final class NetServer implements AutoCloseable {

  private static final Logger LOGGER = LoggerFactory.getLogger(NetServer.class);
  private static final int FLUSHES_CONSOLIDATED_MAX = 256;
  private static final int BACKLOG = 1024;
  private static final long LEAVE_DEADLINE_S = 5;
  private static final WriteBufferWaterMark WRITE_BUFFER =
      new WriteBufferWaterMark(512 * 1024, 1024 * 1024);

  private final EventLoopGroup eventLoops;
  private final ChannelGroup connections =
      new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private final Budgets budgets;
  private final Door door;
  private final Requests requests;
  private final Channel listener;
  private final EventLoopGroup selfLoop;
  private final Channel selfListener;

  /**
   * The door through which this server makes requests to itself, inside of the process. Its
   * connections have a thread of their own and take no places of the port, so that a crowded port
   * does not lock the server out. All other limits of the port apply.
   *
   * @param loop the event loop of both ends of such connections
   */
  public record Self(LocalAddress address, EventLoopGroup loop) {}

  /** The rooms that requests go to. */
  public record Rooms(
      Catalog catalog,
      Rows rows,
      TableRooms tables,
      Tunnels tunnels,
      ClusterView cluster,
      Delivery delivery) {}

  /**
   * The deliveries and their handles.
   *
   * @param attachments to workers
   * @param readings to readers without a tunnel
   * @param handles numbers all channels of the server
   * @param finder finds positions at which readers can begin
   */
  public record Delivery(
      Attachments attachments, Attachments readings, Handles handles, PositionFinder finder) {

    /** As {@link Attachments#lost}, for workers and readers. */
    public void lost(int partition, RefusedException reason) {
      attachments.lost(partition, reason);
      readings.lost(partition, reason);
    }
  }

  /**
   * Authentication, encryption and audit.
   *
   * @param tls TLS, if connections are encrypted
   * @param audit records logins and requests
   */
  public record Door(Gate gate, Optional<Tls> tls, AuditLog audit) {

    /** Without TLS, authentication and audit. */
    public static Door open() {
      return new Door(Gate.open(), Optional.empty(), AuditLog.none());
    }
  }

  /**
   * The rooms for writing and reading rows, and the listener for waits of writes.
   *
   * @param sessions the sessions that rows can be bound to; absent where there are none
   */
  public record Rows(
      PartitionHosts hosts, RowReads reads, WriteWaits waits, Optional<RowSessionHost> sessions) {}

  /** The descriptions and the logs of tables. */
  public record TableRooms(Tables descriptions, TableLogs logs) {}

  /**
   * The hosts of tunnels, and the figures for their descriptions.
   *
   * @param rows the approximate number of rows of a partition, or {@link LogFigures#UNKNOWN}
   */
  public record Tunnels(TunnelHosts hosts, LogFigures figures, IntToLongFunction rows) {}

  /** The threads for work on which event loops must not wait, and the wall clock. */
  public record Threads(Executor control, Executor readers, LongSupplier epochMicros) {}

  /**
   * Binds and begins to serve.
   *
   * @throws IOException when the address cannot be bound, or needs authentication
   */
  public NetServer(NetConfig config, Rooms rooms, Threads threads, Door door, NetMeter meter)
      throws IOException {
    InetSocketAddress address = address(config, door.gate());
    this.door = door;
    requests = new Requests(rooms, threads, door.gate());
    budgets =
        Budgets.of(
            config.limits(),
            Descriptors.connectionsMax(
                config.connectionsMax(), config.limits().httpConnectionsMax()),
            door.gate());
    eventLoops = eventLoops("net", config.threads());
    ChannelFuture bound =
        new ServerBootstrap()
            .group(eventLoops)
            .channel(serverChannelType())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
            .childHandler(new Initializer(requests, meter))
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      eventLoops.shutdownGracefully();
      throw new CannotStartException(
          CannotStartException.Reason.IN_USE,
          "cannot listen on "
              + address.getHostString()
              + ":"
              + address.getPort()
              + " ("
              + bound.cause().getMessage()
              + "); choose another with --port, or 0 for any free one",
          bound.cause());
    }
    listener = bound.channel();
    selfLoop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("self"), LocalIoHandler.newFactory());
    selfListener =
        new ServerBootstrap()
            .group(selfLoop)
            .channel(LocalServerChannel.class)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
            .childHandler(new Initializer(requests, meter))
            .bind(new LocalAddress(NetServer.class))
            .syncUninterruptibly()
            .channel();
  }

  private static InetSocketAddress address(NetConfig config, Gate gate) throws IOException {
    InetAddress address = resolved(config.host());
    if (!address.isLoopbackAddress() && gate.isOpen() && !config.isInsecure()) {
      throw new CannotStartException(
          CannotStartException.Reason.SETTINGS,
          "refusing to listen on "
              + config.host()
              + ": clients are not authenticated, so every client of this address could read and"
              + " write all tables. Make a security directory with"
              + " 'tunnel security init --dir DIR' and give it with --security DIR; or say"
              + " --insecure"
              + " if that is meant, or listen on 127.0.0.1",
          null);
    }
    return new InetSocketAddress(address, config.port());
  }

  private static InetAddress resolved(String host) throws CannotStartException {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new CannotStartException(
          CannotStartException.Reason.SETTINGS,
          "no address is known for the host '"
              + host
              + "' of --host or net.host; name an address of this machine, such as 127.0.0.1",
          e);
    }
  }

  private static Tls.PlainRefusal plainRefusal() {
    byte[] reason =
        new ErrorPayload(
                ErrorCode.NOT_AUTHENTICATED,
                "this port speaks TLS; give the client a profile with TLS, by --profile or"
                    + " TUNNEL_PROFILE")
            .encode();
    Frame frame = new Frame(Closing.NO_OPERATION, FrameKind.ERROR, 0, reason);
    return new Tls.PlainRefusal(
        ByteBufUtil.getBytes(Unpooled.wrappedBuffer(frame.header(), frame.payload())));
  }

  /** Event loops for sockets of {@link #serverChannelType}, whose threads have this name. */
  public static EventLoopGroup eventLoops(String name, int threads) {
    IoHandlerFactory io =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name), io);
  }

  /** The type of listening sockets that suits the operating system. */
  public static Class<? extends ServerSocketChannel> serverChannelType() {
    return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** The address that the server listens on. */
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Answers requests for the figures of this node with these from now on; must not wait. */
  public void figures(Supplier<Optional<NodeFigures>> now) {
    requests.figures(now);
  }

  /** Where this server makes requests to itself. */
  public Self self() {
    return new Self((LocalAddress) selfListener.localAddress(), selfLoop);
  }

  /**
   * Checks all connections after a change of permissions, and closes those whose clients lost their
   * login or a right that they use. For any thread.
   */
  public void reviseRights() {
    forEach(connections, Connection::reviseRights);
  }

  /**
   * Applies {@code what} to every open connection; a closing connection has no handlers any more.
   */
  static void forEach(Iterable<Channel> connections, Consumer<Connection> what) {
    for (Channel nettyChannel : connections) {
      Optional.ofNullable(nettyChannel.pipeline().get(Connection.class)).ifPresent(what);
    }
  }

  /** The use of quotas, and refusals by principal. */
  public Shares shares() {
    return budgets.shares();
  }

  /** The number of open connections. */
  public int connectionCount() {
    return connections.size();
  }

  /**
   * The memory that clients take.
   *
   * @param partialBytes memory of incomplete frames
   * @param requestBytes memory of unanswered requests
   * @param untakenBytes bytes of answers and deliveries that clients have not read
   */
  public record Held(long partialBytes, long requestBytes, long untakenBytes) {}

  /** The memory that clients take now. */
  public Held held() {
    return new Held(
        budgets.partial().taken(), budgets.requests().taken(), budgets.untaken().bytes());
  }

  /** Stops listening; connections stay open. */
  public void stopListening() {
    listener.close().awaitUninterruptibly();
    selfListener.close().awaitUninterruptibly();
  }

  /**
   * Answers open requests, closes all connections and ends the event loops. A client that does not
   * close its end gets as much time as a refused client.
   */
  @Override
  public void close() {
    stopListening();
    forEach(connections, Connection::leave);
    connections.newCloseFuture().awaitUninterruptibly(LEAVE_DEADLINE_S, TimeUnit.SECONDS);
    connections.close().awaitUninterruptibly();
    eventLoops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    selfLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private final class Initializer extends ChannelInitializer<Channel> {
    private final Requests requests;
    private final NetMeter meter;

    Initializer(Requests requests, NetMeter meter) {
      this.requests = requests;
      this.meter = meter;
    }

    @Override
    protected void initChannel(Channel nettyChannel) {
      Connection connection = new Connection(requests, door, meter, "tunnel", budgets);
      boolean isSelf = nettyChannel instanceof LocalChannel;
      door.tls()
          .filter(unused -> !isSelf)
          .ifPresent(tls -> nettyChannel.pipeline().addLast(tls.handler(NetServer::plainRefusal)));
      nettyChannel
          .pipeline()
          .addLast(new FlushConsolidationHandler(FLUSHES_CONSOLIDATED_MAX, true))
          .addLast(connection);
      connections.add(nettyChannel);
      if (isSelf) {
        return;
      }
      switch (budgets.places().enter(connection, Gate.network(nettyChannel.remoteAddress()))) {
        case ADMITTED -> {}
        case REFUSED -> connection.refuseConnection(Farewell.ONE_TOO_MANY);
        case CROWDED -> connection.refuseConnection(Farewell.ADDRESS_CROWDED);
        case CLOSED -> connection.closeAtOnce(Farewell.ONE_TOO_MANY);
      }
    }
  }

  /** The budgets that all connections of a server share. */
  record Budgets(
      NetLimits limits,
      Budget<Runnable> partial,
      Budget<?> requests,
      Budget<?> queued,
      Untaken untaken,
      Places places,
      Shares shares) {

    /** Unused budgets. */
    static Budgets of(NetLimits said, int connectionsMax, Gate gate) {
      NetLimits limits = said.boundBy(connectionsMax);
      return new Budgets(
          limits,
          new Budget<>(limits.partialBytesMax()),
          new Budget<>(limits.requestBytesMax()),
          new Budget<>(limits.requestBytesMax() / 2),
          new Untaken(limits.answerBytesMax(), limits.connectionAnswerBytesMax()),
          new Places(connectionsMax, limits.connectionsPerAddressMax()),
          new Shares(gate, limits.principalMetricsMax()));
    }

    /** The requests of a connection with this account. */
    OpenRequests openRequests(Untaken.Account account, OpenRequests.Port port) {
      return new OpenRequests(requests, queued, account, limits.requestsMax(), port);
    }
  }

  /** Limits connections by the descriptors of this process. */
  static final class Descriptors {

    /** Descriptors reserved for files, logs and this process's own connections, at least. */
    private static final long RESERVED_MIN = 256;

    private Descriptors() {}

    /**
     * The number of connections, at most {@code wanted}: a quarter of all descriptors is reserved
     * for files.
     */
    static int connectionsMax(int wanted, int httpConnectionsMax) {
      if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean)) {
        return wanted;
      }
      UnixOperatingSystemMXBean system =
          (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      int possible = fitting(wanted, system.getMaxFileDescriptorCount(), httpConnectionsMax);
      if (possible < wanted) {
        LOGGER.warn(
            "{} connections are accepted instead of net.connectionsMax = {}: the process may"
                + " have {}"
                + " descriptors; raise ulimit -n",
            possible,
            wanted,
            system.getMaxFileDescriptorCount());
      }
      return possible;
    }

    static int fitting(int wanted, long descriptors, int httpConnectionsMax) {
      long reserved =
          Math.max(RESERVED_MIN, descriptors / 4) + httpConnectionsMax + Places.REFUSED_MAX;
      return (int) Math.max(1, Math.min(wanted, descriptors - reserved));
    }
  }
}
