package io.tunnel.sdk;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.answer.Absence;
import io.tunnel.sdk.answer.AllTunnels;
import io.tunnel.sdk.answer.TunnelAnswers;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.CloneCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ExportCheckpointsResponse;
import io.tunnel.sdk.checkpoint.ImportCheckpointsRequest;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.CreateTunnelResponse;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelResponse;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.EndSessionRequest;
import io.tunnel.sdk.tunnel.EndSessionResponse;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.ListTunnelResponse;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.sdk.tunnel.PauseTunnelResponse;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelResponse;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Creates, lists, describes, seeks, pauses and deletes tunnels, and configures the connections of
 * workers. Thread-safe.
 *
 * <p>Methods that wait throw {@link io.tunnel.model.RefusedException} when the server refuses, and
 * {@link ConnectionException} when the server cannot be reached or does not answer. They first
 * retry requests that are safe to repeat, for {@link ClientConfig#retryDeadline}.
 */
public final class TunnelClient implements AutoCloseable {

  private final ClientConfig config;
  private final Nodes nodes;
  private final Caller caller;
  private final AllTunnels allTunnels;

  /** A client of the server at {@code endpoint}, as {@link ClientConfig#of(String)} reads it. */
  public TunnelClient(String endpoint) {
    this(ClientConfig.of(endpoint));
  }

  /** A client with a configuration; connects on first use. */
  public TunnelClient(ClientConfig config) {
    this.config = Objects.requireNonNull(config, "config");
    LoadedConfig loaded = LoadedConfig.of(config); // First: it may throw.
    this.nodes = new Nodes(loaded, ClientPort.real());
    this.caller = new Caller(nodes);
    this.allTunnels = new AllTunnels(caller);
  }

  /** The configuration of the client and of its workers. */
  public ClientConfig config() {
    return config;
  }

  /**
   * Creates a tunnel.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_EXISTS} when the table has a tunnel with
   *     this name, {@code TABLE_NOT_FOUND} when there is no such table
   */
  public CreateTunnelResponse createTunnel(CreateTunnelRequest request) {
    StreamTunnelConfig stream = request.streamTunnelConfig();
    Control.TunnelInfo created =
        change(
            request.tableName(),
            Operation.CREATE_TUNNEL,
            new Control.CreateTunnel(
                request.tableName(),
                request.tunnelName(),
                request.tunnelType(),
                stream.flag(),
                stream.startOffset(),
                stream.endOffset()),
            Control.TunnelInfo.class);
    return new CreateTunnelResponse(TunnelAnswers.info(created));
  }

  /**
   * Creates a tunnel unless the table has a tunnel with this name, for a program that starts again
   * and again. An existing tunnel keeps its progress; the start in the request is ignored.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_EXISTS} when the existing tunnel has
   *     another type or another end, {@code TABLE_NOT_FOUND} when there is no such table
   */
  public CreateTunnelResponse createTunnelIfAbsent(CreateTunnelRequest request) {
    DescribeTunnelRequest name =
        new DescribeTunnelRequest(request.tableName(), request.tunnelName());
    CreateTunnelResponse tunnel =
        Absence.of(
            ErrorCode.TUNNEL_NOT_FOUND,
            ErrorCode.TUNNEL_EXISTS,
            () -> new CreateTunnelResponse(describeTunnel(name).getTunnelInfo()),
            () -> createTunnel(request));
    String existing =
        kind(tunnel.tunnelInfo().getTunnelType(), tunnel.tunnelInfo().getStreamTunnelConfig());
    String requested = kind(request.tunnelType(), request.streamTunnelConfig());
    if (!existing.equals(requested)) {
      throw new RefusedException(
          ErrorCode.TUNNEL_EXISTS,
          "tunnel '"
              + request.tunnelName()
              + "' of table '"
              + request.tableName()
              + "' exists with "
              + existing
              + ", and not with "
              + requested
              + "; delete it, or name another tunnel");
    }
    return tunnel;
  }

  /** The properties in which an existing tunnel must equal the request. */
  private static String kind(TunnelType type, StreamTunnelConfig stream) {
    return "type "
        + type
        + stream.endOffset().map(ms -> " and the end " + Instant.ofEpochMilli(ms)).orElse("");
  }

  /** Lists tunnels, ordered by table and name. */
  public ListTunnelResponse listTunnel(ListTunnelRequest request) {
    List<Control.TunnelInfo> tunnels =
        request.table().isPresent() ? tunnelsOf(request.table().get()) : allTunnels.list();
    return new ListTunnelResponse(tunnels.stream().map(TunnelAnswers::info).toList());
  }

  private List<Control.TunnelInfo> tunnelsOf(String table) {
    Control name = new Control.TableName(table);
    return read(table, Operation.LIST_TUNNELS, name, Control.TunnelList.class).tunnels();
  }

  /**
   * The present state of a tunnel and its channels.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_NOT_FOUND} when there is none
   */
  public DescribeTunnelResponse describeTunnel(DescribeTunnelRequest request) {
    Control.TunnelName name = new Control.TunnelName(request.tableName(), request.tunnelName());
    return TunnelAnswers.description(
        read(
            request.tableName(), Operation.DESCRIBE_TUNNEL, name, Control.TunnelDescription.class));
  }

  /**
   * Deletes a tunnel with its checkpoints; its workers stop.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_NOT_FOUND} when there is none
   */
  public DeleteTunnelResponse deleteTunnel(DeleteTunnelRequest request) {
    Control.TunnelName name = new Control.TunnelName(request.tableName(), request.tunnelName());
    var unused = change(request.tableName(), Operation.DELETE_TUNNEL, name, Control.Empty.class);
    return new DeleteTunnelResponse();
  }

  /**
   * Pauses the delivery of a tunnel or of some of its channels until it is resumed, also across
   * restarts of the server. Workers finish running callbacks and give the channels back.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_NOT_FOUND} or {@code CHANNEL_NOT_FOUND}
   */
  public PauseTunnelResponse pauseTunnel(PauseTunnelRequest request) {
    Control selection =
        new ChannelSelection(request.tableName(), request.tunnelName(), request.channelIds());
    var unused = change(request.tableName(), Operation.PAUSE, selection, Control.Empty.class);
    return new PauseTunnelResponse();
  }

  /**
   * Resumes the delivery of a tunnel or of some of its channels, including channels that an error
   * has stopped.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_NOT_FOUND} or {@code CHANNEL_NOT_FOUND}
   */
  public ResumeTunnelResponse resumeTunnel(ResumeTunnelRequest request) {
    Control selection =
        new ChannelSelection(request.tableName(), request.tunnelName(), request.channelIds());
    var unused = change(request.tableName(), Operation.RESUME, selection, Control.Empty.class);
    return new ResumeTunnelResponse();
  }

  /**
   * Moves the progress of channels, also while workers run: a session that holds such a channel is
   * fenced, and gets the channel back under a new epoch. The server applies the seek once, even if
   * the client repeats the request.
   *
   * @throws io.tunnel.model.RefusedException {@code INVALID_POSITION} for a target outside of the
   *     log, {@code HISTORY_LOST} for deleted changes, {@code INVALID_REQUEST} for checkpoints of
   *     another table, {@code TUNNEL_NOT_FOUND} or {@code CHANNEL_NOT_FOUND}
   */
  public SeekTunnelResponse seekTunnel(SeekTunnelRequest request) {
    SeekResult result =
        change(
            request.tableName(), Operation.SEEK, TunnelAnswers.payload(request), SeekResult.class);
    return new SeekTunnelResponse(TunnelAnswers.moves(result), result.serverMs());
  }

  /**
   * Exports the progress of all channels of a tunnel.
   *
   * @throws io.tunnel.model.RefusedException {@code TUNNEL_NOT_FOUND} when there is none
   */
  public ExportCheckpointsResponse exportCheckpoints(ExportCheckpointsRequest request) {
    Control name = new Control.TunnelName(request.tableName(), request.tunnelName());
    OperatorControl.CheckpointSet exported =
        read(
            request.tableName(),
            Operation.EXPORT_CHECKPOINTS,
            name,
            OperatorControl.CheckpointSet.class);
    return new ExportCheckpointsResponse(TunnelAnswers.checkpoints(exported));
  }

  /** Gives a tunnel exported progress, by a {@linkplain #seekTunnel seek}. */
  public SeekTunnelResponse importCheckpoints(ImportCheckpointsRequest request) {
    return seekTunnel(
        SeekTunnelRequest.toCheckpoints(
                request.tableName(), request.tunnelName(), request.checkpoints())
            .dryRun(request.isDryRun()));
  }

  /** Copies the progress of one tunnel to another tunnel of its table: export, then import. */
  public SeekTunnelResponse cloneCheckpoints(CloneCheckpointsRequest request) {
    CheckpointSet checkpoints =
        exportCheckpoints(
                new ExportCheckpointsRequest(request.tableName(), request.fromTunnelName()))
            .checkpoints();
    return importCheckpoints(
        new ImportCheckpointsRequest(
            request.tableName(), request.toTunnelName(), checkpoints, request.isDryRun()));
  }

  /**
   * Ends a session. Other sessions get its channels, and the server fences its later requests.
   *
   * @throws io.tunnel.model.RefusedException {@code CHANNEL_NOT_FOUND} when the tunnel has no such
   *     session, {@code TUNNEL_NOT_FOUND} when there is no such tunnel
   */
  public EndSessionResponse endSession(EndSessionRequest request) {
    Control session = new EndSession(request.tableName(), request.tunnelName(), request.clientId());
    // The server stores no ended sessions, and could not recognise a repetition of the request.
    var unused =
        caller.awaitAnswer(
            Subject.tunnels(request.tableName()), Operation.END_SESSION, Json.encode(session));
    return new EndSessionResponse();
  }

  private <T extends Control> T read(
      String table, Operation operation, Control request, Class<T> type) {
    byte[] payload = Json.encode(request);
    return Json.decode(caller.awaitAnswer(Subject.tunnels(table), operation, payload), type);
  }

  private <T extends Control> T change(
      String table, Operation operation, Control request, Class<T> type) {
    return Json.decode(caller.awaitChangeOnce(Subject.tunnels(table), operation, request), type);
  }

  /** Closes the client; Tablestore's name for {@link #close}. */
  public void shutdown() {
    close();
  }

  /** Closes the connection. Workers have connections of their own and go on. Idempotent. */
  @Override
  public void close() {
    nodes.close();
  }
}
