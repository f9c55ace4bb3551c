package io.tunnel.sdk;

import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Connector;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.wire.Control;
import io.tunnel.wire.Json;
import io.tunnel.wire.Operation;
import java.util.Objects;

/**
 * Creates, lists, describes and deletes tunnels, and tells workers where the server is.
 * Thread-safe.
 *
 * <p>Methods that wait throw {@link io.tunnel.model.RefusedException} when the server refuses, and
 * {@link ConnectionException} when it cannot be reached or does not answer; what can be repeated
 * without harm is repeated before that, for {@link ClientConfig#retryDeadline}.
 */
public final class TunnelClient implements AutoCloseable {

  private final ClientConfig config;
  private final EventLoops loops;
  private final Connector connector;
  private final Caller caller;

  /** A client of the server at {@code endpoint}, as {@link ClientConfig#of(String)} reads it. */
  public TunnelClient(String endpoint) {
    this(ClientConfig.of(endpoint));
  }

  /** A client with its configuration; it connects when it is first used. */
  public TunnelClient(ClientConfig config) {
    Ticker ticker = new SystemClock();
    this.config = Objects.requireNonNull(config, "config");
    this.loops = EventLoops.start(1);
    this.connector = new Connector(config, loops, ticker);
    this.caller = new Caller(connector, ticker);
  }

  /** How the client reaches the server. */
  public ClientConfig config() {
    return config;
  }

  /**
   * Creates a tunnel.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_EXISTS} when the table has one of that
   *     name, {@code TABLE_NOT_FOUND} when there is no such table
   */
  public CreateTunnelResponse createTunnel(CreateTunnelRequest request) {
    Control.TunnelInfo created =
        Json.decode(
            caller.awaitChange(
                Operation.CREATE_TUNNEL,
                Json.encode(
                    new Control.CreateTunnel(
                        request.tableName(),
                        request.tunnelName(),
                        request.tunnelType(),
                        request.start()))),
            Control.TunnelInfo.class);
    return new CreateTunnelResponse(TunnelInfo.of(created));
  }

  /** The tunnels there are, by table and name. */
  public ListTunnelResponse listTunnel(ListTunnelRequest request) {
    Control table =
        request.table().isPresent()
            ? new Control.TableName(request.table().get())
            : new Control.Empty();
    Control.TunnelList list =
        Json.decode(
            caller.awaitRead(Operation.LIST_TUNNELS, Json.encode(table)), Control.TunnelList.class);
    return new ListTunnelResponse(list.tunnels().stream().map(TunnelInfo::of).toList());
  }

  /**
   * A tunnel and its channels now.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_NOT_FOUND} when there is none
   */
  public DescribeTunnelResponse describeTunnel(DescribeTunnelRequest request) {
    Control.TunnelName name = new Control.TunnelName(request.tableName(), request.tunnelName());
    Control.TunnelDescription tunnel =
        Json.decode(
            caller.awaitRead(Operation.DESCRIBE_TUNNEL, Json.encode(name)),
            Control.TunnelDescription.class);
    return new DescribeTunnelResponse(
        TunnelInfo.of(tunnel.info()), tunnel.channels().stream().map(ChannelInfo::new).toList());
  }

  /**
   * Deletes a tunnel with its checkpoints; its workers stop.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_NOT_FOUND} when there is none
   */
  public DeleteTunnelResponse deleteTunnel(DeleteTunnelRequest request) {
    Control.TunnelName name = new Control.TunnelName(request.tableName(), request.tunnelName());
    var unused =
        Json.decode(
            caller.awaitChange(Operation.DELETE_TUNNEL, Json.encode(name)), Control.Empty.class);
    return new DeleteTunnelResponse();
  }

  /** The same as {@link #close}. */
  public void shutdown() {
    close();
  }

  /** Closes the connection. Workers have their own and go on. Idempotent. */
  @Override
  public void close() {
    connector.close();
    loops.close();
  }
}
