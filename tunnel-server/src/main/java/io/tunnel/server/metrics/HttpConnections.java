package io.tunnel.server.metrics;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.Gate;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the connections of the HTTP port in number and time. A network has a quarter of the
 * places; one more connection of a network closes the network's oldest one. When all places are
 * taken, a new connection closes the oldest one of the network with the most. So a client that
 * connects endlessly only closes connections of its own network. Connections from this machine have
 * an equal number of separate places, for the probes of an orchestrator's agent.
 *
 * <p>A connection {@linkplain #settle settles} when its first request is for the site. It then
 * stays as long as the site wants, in a place of the site: a network has half of them, and
 * connections from this machine have an equal number again. No connection is closed for a new one.
 *
 * <p>The monitor guards the sets; no other object is called under it.
 */
@Sharable
final class HttpConnections extends ChannelInboundHandlerAdapter {

  /** Seconds from the connection to its end, unless it settles. */
  static final long LIFE_S_MAX = 10;

  /** Stands for the network of this machine; networks of other machines have 4 or 8 bytes. */
  private static final Bytes LOCAL = Bytes.EMPTY;

  private final int connectionsMax;
  private final int ofNetworkMax;
  private final int settledMax;
  private final Set<Channel> local = new LinkedHashSet<>();

  /** Connections of other machines, by network; no set is empty. */
  private final Map<Bytes, Set<Channel>> remote = new LinkedHashMap<>();

  /** The number of connections in {@code remote}. */
  private int remotes;

  /** Connections of the site with their networks; those of this machine are of {@link #LOCAL}. */
  private final Map<Channel, Bytes> settled = new HashMap<>();

  HttpConnections(int connectionsMax, int settledMax) {
    this.settledMax = settledMax;
    this.connectionsMax = connectionsMax;
    this.ofNetworkMax = Math.max(1, connectionsMax / 4);
  }

  private static boolean isLocal(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        && inet.getAddress() != null
        && inet.getAddress().isLoopbackAddress();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    enter(ctx.channel()).ifPresent(Channel::close);
    var unused = ctx.executor().schedule(() -> endLife(ctx), LIFE_S_MAX, TimeUnit.SECONDS);
    ctx.fireChannelActive();
  }

  private void endLife(ChannelHandlerContext ctx) {
    boolean stays;
    synchronized (this) {
      stays = settled.containsKey(ctx.channel());
    }
    if (!stays) {
      ctx.close();
    }
  }

  /** Gives the connection a place of the site; false without a free one. */
  synchronized boolean settle(Channel nettyChannel) {
    SocketAddress address = nettyChannel.remoteAddress();
    Bytes network = isLocal(address) ? LOCAL : Gate.network(address);
    long ofNetwork = settled.values().stream().filter(network::equals).count();
    long ofThisMachine = settled.values().stream().filter(LOCAL::equals).count();
    boolean hasPlace =
        network.equals(LOCAL)
            ? ofNetwork < settledMax
            : ofNetwork < settledMax / 2 && settled.size() - ofThisMachine < settledMax;
    // A closed connection would never leave.
    if (hasPlace && nettyChannel.isActive()) {
      leave(nettyChannel);
      settled.put(nettyChannel, network);
      return true;
    }
    return false;
  }

  /** Adds a connection, and returns the connection to close for it. */
  private synchronized Optional<Channel> enter(Channel nettyChannel) {
    SocketAddress address = nettyChannel.remoteAddress();
    if (isLocal(address)) {
      Optional<Channel> oldest = local.size() < connectionsMax ? Optional.empty() : first(local);
      oldest.ifPresent(local::remove);
      local.add(nettyChannel);
      return oldest;
    }
    Bytes network = Gate.network(address);
    Set<Channel> own = remote.getOrDefault(network, Set.of());
    Optional<Channel> oldest = Optional.empty();
    if (own.size() >= ofNetworkMax) {
      oldest = first(own);
    } else if (remotes >= connectionsMax) {
      oldest =
          remote.values().stream().max(Comparator.comparingInt(Set::size)).flatMap(this::first);
    }
    oldest.ifPresent(this::leave);
    remote.computeIfAbsent(network, unused -> new LinkedHashSet<>()).add(nettyChannel);
    remotes++;
    return oldest;
  }

  private Optional<Channel> first(Set<Channel> some) {
    return some.stream().findFirst();
  }

  private void leave(Channel nettyChannel) {
    if (settled.remove(nettyChannel) != null || local.remove(nettyChannel)) {
      return;
    }
    Bytes network = Gate.network(nettyChannel.remoteAddress());
    Set<Channel> own = remote.get(network);
    if (own != null && own.remove(nettyChannel)) {
      remotes--;
      if (own.isEmpty()) {
        remote.remove(network);
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    synchronized (this) {
      leave(ctx.channel());
    }
    ctx.fireChannelInactive();
  }
}
