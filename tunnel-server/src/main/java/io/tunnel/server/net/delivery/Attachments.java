package io.tunnel.server.net.delivery;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Freshness;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.DeliveryPort;
import io.tunnel.server.channel.watch.Watches;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.read.RowMoments;
import io.tunnel.server.table.BaseRows;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.Renewal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;

/**
 * The deliveries from partitions that this server serves: channels of tunnels to workers, or
 * partitions to readers without a tunnel. A reader keeps its own positions; any number of readers
 * may read a partition, the server stores nothing about them, and a reading ends with its
 * connection.
 *
 * <p>The monitor guards the attachments and the epochs of {@link Holders}; no other object is
 * called under it.
 */
public final class Attachments {

  /** Attachments of one connection. */
  public static final int OF_CONNECTION_MAX = 4_096;

  /** Characters of a tunnel's id; those that servers give are shorter. */
  static final int TUNNEL_ID_CHARS_MAX = 64;

  private final Delivered delivered;
  private final Positions positions;
  private final Kind kind;
  private final Holders holders;
  private final ReadingPlaces readings;
  private final Map<String, Attachment> attachmentByChannel = new HashMap<>();

  /**
   * The rooms that deliveries need.
   *
   * @param hosts refuses partitions that this server does not serve, and names their leader
   * @param watches the channels of chosen keys
   * @param incarnations tells apart positions that the log gave twice
   * @param freshness waits until this server has read all that the log holds
   * @param grants prove that a request comes from the session that holds the channel
   * @param clock the time at which grants end
   */
  public record Delivered(
      PartitionHosts hosts,
      ChangeReader changes,
      Channels channels,
      Watches watches,
      Incarnations incarnations,
      Freshness freshness,
      ChannelGrants.Verifier grants,
      Shard.Clock clock) {}

  /**
   * The differences between workers and readers.
   *
   * @param tooMany the message for a connection with too many attachments
   * @param areOfReaders whether deliveries of rows carry the position up to which the rows are
   *     complete
   * @param arePositionsThere whether the log must hold a position that a client continues after
   * @param rows reads the rows of a partition, with all changes up to a position
   */
  private record Kind(
      String tooMany, boolean areOfReaders, boolean arePositionsThere, RowsAt rows) {

    /** The rows of a partition with all changes up to a position, or those of them that match. */
    @FunctionalInterface
    private interface RowsAt {
      BaseRows since(long settled, Optional<KeyTerms> terms);
    }
  }

  private Attachments(Delivered delivered, Kind kind) {
    this.delivered = delivered;
    this.positions = new Positions(delivered.changes(), delivered.incarnations());
    this.kind = kind;
    this.readings = new ReadingPlaces(kind.areOfReaders());
    this.holders = new Holders(delivered.grants(), delivered.clock());
  }

  /**
   * Delivers channels of tunnels.
   *
   * @param rows as tunnels have them
   * @param isAlone whether this is the only server, which rolls checkpoints back before it serves
   *     clients, so that no worker has a position beyond the log
   */
  public static Attachments ofTunnels(Delivered delivered, BaseRows rows, boolean isAlone) {
    String tooMany =
        "a connection is attached to " + OF_CONNECTION_MAX + " channels at most; detach some";
    return new Attachments(delivered, new Kind(tooMany, false, isAlone, (settled, terms) -> rows));
  }

  /**
   * Delivers partitions to readers without a tunnel.
   *
   * @param moments the moments at which rows are read
   */
  public static Attachments ofReaders(Delivered delivered, RowMoments moments) {
    String tooMany =
        "a connection reads or watches "
            + OF_CONNECTION_MAX
            + " partitions at most, once for each watch; close some, or open another client";
    return new Attachments(delivered, new Kind(tooMany, true, true, moments::since));
  }

  /**
   * Attaches to a channel of a tunnel, under that handle; on the connection's event loop. The id
   * must be the one that the tunnel gives the channel: the server remembers it after the
   * attachment, so a client must not choose its length.
   *
   * @throws RefusedException if the request is refused at once; {@code answer} is not called then
   */
  public void attach(Attach request, int handle, Port connection, Answer answer) {
    requireId(request);
    requireServed(request.partition(), connection);
    Terms terms = holders.terms(request, connection.holder());
    OptionalLong deadlineNanos = OptionalLong.of(holders.deadlineNanos(request, terms));
    attach(Wanted.channel(request, handle).on(terms), deadlineNanos, connection, answer);
  }

  private static void requireId(Attach request) {
    if (request.tunnelId().length() > TUNNEL_ID_CHARS_MAX) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "a tunnel's id has "
              + TUNNEL_ID_CHARS_MAX
              + " characters at most, not "
              + request.tunnelId().length());
    }
    String expected =
        new ChannelKey(request.partition(), request.type()).channelId(request.tunnelId());
    if (!request.channelId().equals(expected)) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "this channel of tunnel " + request.tunnelId() + " has the id " + expected);
    }
  }

  /**
   * As {@link #attach(Attach, int, Port, Answer)}, to a partition without a tunnel; with terms, for
   * the keys that match.
   */
  public void attach(
      ReadPartition request, Optional<KeyTerms> terms, int handle, Port connection, Answer answer) {
    requireServed(request.partition(), connection);
    attach(Wanted.reading(request, handle, terms), OptionalLong.empty(), connection, answer);
  }

  private void requireServed(int partition, Port connection) {
    if (connection.carried().attachmentCount() >= OF_CONNECTION_MAX) {
      // A worker retries, because its session may release channels; a reader has to know.
      ErrorCode code = kind.areOfReaders() ? ErrorCode.LIMIT_REACHED : ErrorCode.BUSY;
      throw new RefusedException(code, kind.tooMany());
    }
    var unused = delivered.hosts().of(partition);
  }

  private void attach(Wanted wanted, OptionalLong deadlineNanos, Port connection, Answer answer) {
    Attachment attachment = new Attachment(wanted, deadlineNanos, connection, answer, this::gone);
    Optional<Attachment> replaced = admit(attachment);
    connection.carried().add(attachment);
    replaced.ifPresent(one -> post(one, () -> one.replacedBy(wanted.request().epoch())));
    try {
      begin(attachment);
    } catch (RuntimeException e) {
      attachment.failed();
      throw e;
    }
  }

  private void begin(Attachment attachment) {
    int partition = attachment.request().partition();
    // Checked again: the partition may have been lost before the attachment was registered.
    Optional<RefusedException> refused = refused(partition);
    if (refused.isPresent()) {
      attachment.take(refused.get());
    } else if (isPresent(attachment.wanted())) {
      open(attachment);
    } else {
      delivered
          .freshness()
          .whenFresh(partition, failure -> post(attachment, () -> caughtUp(attachment, failure)));
    }
  }

  /**
   * Takes a newer grant of an attached channel, with its deadline and, once found, the channel's
   * end. A grant of a different hold ends the attachment; an expired grant is ignored.
   */
  public void renew(Renewal renewal, Port connection) {
    connection
        .carried()
        .attachment(renewal.handle())
        .filter(one -> one.request().epoch() == renewal.epoch())
        .ifPresent(one -> renew(one, renewal.grant()));
  }

  /**
   * Takes a newer grant that a session on this server got for its channel. If this server delivers
   * the channel, the grant counts at once: a worker that hangs for a while keeps its attachment as
   * long as its session lives.
   *
   * @param renewal names the channel by the session's handle
   * @param session the connection of the session; called on its event loop
   */
  public void renewHeld(Renewal renewal, Port session) {
    session
        .carried()
        .held(renewal.handle())
        .flatMap(this::attached)
        .ifPresent(one -> onLoop(one, session, () -> renew(one, renewal.grant())));
  }

  /** Runs {@code task} on the attachment's event loop, at once when it is the session's too. */
  private static void onLoop(Attachment attachment, Port session, Runnable task) {
    if (attachment.connection() == session) {
      task.run();
    } else {
      post(attachment, task);
    }
  }

  private synchronized Optional<Attachment> attached(CarriedChannels.Held held) {
    return Optional.ofNullable(attachmentByChannel.get(held.channelId()))
        .filter(attachment -> attachment.request().epoch() == held.epoch());
  }

  private void renew(Attachment attachment, Bytes grant) {
    if (!attachment.isGranted()) {
      return;
    }
    Attach request = attachment.request().withGrant(grant);
    Terms terms;
    try {
      terms = holders.terms(request, attachment.connection().holder());
    } catch (RefusedException e) {
      attachment.take(e);
      return;
    }
    try {
      attachment.lastsUntil(holders.deadlineNanos(request, terms));
      terms.end().ifPresent(attachment::endAt);
    } catch (RefusedException e) {
      // The deadline of the attachment stays.
      return;
    }
  }

  /** Ends attachments whose grants have ended. Call it a few times a second, on any thread. */
  public void tick() {
    overdue().forEach(attachment -> post(attachment, () -> endOverdue(attachment)));
  }

  private synchronized List<Attachment> overdue() {
    return attachmentByChannel.values().stream().filter(holders::isOverdue).toList();
  }

  /** Checked again: a newer grant may have arrived meanwhile. */
  private void endOverdue(Attachment attachment) {
    if (holders.isOverdue(attachment)) {
      attachment.take(
          new RefusedException(
              ErrorCode.BUSY,
              "the grant of channel "
                  + attachment.request().channelId()
                  + " has ended, and its session did not renew it; attach again with the next"
                  + " grant of the session"));
    }
  }

  /**
   * Ends deliveries of a channel that a session no longer holds or must give back, on all
   * connections of this server; its grants are void here. The session tells the worker.
   *
   * @param handle the session's handle of the channel
   * @param session the connection of the session; called on its event loop
   */
  public void release(int handle, Port session) {
    session
        .carried()
        .release(handle)
        .flatMap(this::ended)
        .ifPresent(one -> onLoop(one, session, one::over));
  }

  private synchronized Optional<Attachment> ended(CarriedChannels.Held held) {
    holders.ended(held.channelId(), held.partition(), held.epoch());
    return attached(held);
  }

  private synchronized Optional<Attachment> admit(Attachment attachment) {
    String channelId = attachment.request().channelId();
    Optional<Attachment> current = Optional.ofNullable(attachmentByChannel.get(channelId));
    holders.admit(attachment, current);
    readings.take(attachment);
    attachmentByChannel.put(channelId, attachment);
    return current;
  }

  /**
   * Posts {@code task} to the attachment's event loop; if the loop has ended, the client is gone
   * and the task is dropped.
   */
  private static void post(Attachment attachment, Runnable task) {
    try {
      attachment.connection().execute(task);
    } catch (RejectedExecutionException e) {
      return;
    }
  }

  /** The refusal of a partition that this server does not serve. */
  private Optional<RefusedException> refused(int partition) {
    try {
      var unused = delivered.hosts().of(partition);
      return Optional.empty();
    } catch (RefusedException e) {
      return Optional.of(e);
    }
  }

  /**
   * Whether this server surely holds the changes behind the client's position. Rows must be fresh
   * first, and a client is not refused for changes that this server has not read yet.
   */
  private boolean isPresent(Wanted wanted) {
    return wanted.request().type() == ChannelType.Stream
        && wanted
            .known()
            .filter(known -> positions.areBehind(wanted.request().partition(), known))
            .isEmpty()
        && missing(wanted).isEmpty();
  }

  /** The refusal when the log cannot continue behind the position that the client has seen. */
  private Optional<RefusedException> missing(Wanted wanted) {
    Attach request = wanted.request();
    return wanted
        .known()
        .flatMap(known -> positions.replaced(request.partition(), known))
        .or(
            () ->
                kind.arePositionsThere() && request.type() == ChannelType.Stream
                    ? positions.missing(request.partition(), request.position())
                    : Optional.empty());
  }

  /** Opens an attachment after this server has read all that the log held at the request. */
  private void caughtUp(Attachment attachment, Optional<RefusedException> failure) {
    if (attachment.isWaiting()) {
      failure
          .or(() -> refused(attachment.request().partition()))
          .or(() -> missing(attachment.wanted()))
          .ifPresentOrElse(attachment::take, () -> open(attachment));
    }
  }

  private void open(Attachment attachment) {
    IncarnatedPort port = port(attachment);
    Channel opened;
    try {
      opened = channel(attachment, port);
    } catch (RefusedException e) {
      attachment.take(e);
      return;
    }
    attachment.open(opened, port.told());
  }

  private IncarnatedPort port(Attachment attachment) {
    boolean arePositionsOfLog =
        attachment.request().type() == ChannelType.Stream || kind.areOfReaders();
    return arePositionsOfLog
        ? positions.port(attachment.request().partition(), attachment.connection())
        : IncarnatedPort.ofNone(attachment.connection());
  }

  private Channel channel(Attachment attachment, DeliveryPort port) {
    Attach request = attachment.request();
    Optional<KeyTerms> terms = attachment.wanted().terms();
    Channel.Start start =
        new Channel.Start(
            attachment.handle(), request.epoch(), request.partition(), request.position());
    if (request.type() == ChannelType.BaseData) {
      BaseRows rows = kind.rows().since(positions.last(request.partition()), terms);
      return delivered.channels().base(rows, request.tunnelId(), start, request.key(), port);
    }
    if (terms.isPresent()) {
      return delivered.watches().open(start, terms.get(), attachment.connection().holder(), port);
    }
    OptionalLong end = request.end().map(OptionalLong::of).orElse(OptionalLong.empty());
    return delivered.channels().stream(start, end, request.endMs(), port);
  }

  private synchronized void gone(Attachment attachment) {
    if (attachmentByChannel.remove(attachment.request().channelId(), attachment)) {
      holders.left(attachment);
      readings.leave(attachment);
    }
  }

  /**
   * Ends all attachments of a partition that this server no longer serves, with {@code reason} for
   * the clients. The host must refuse the partition before this call.
   */
  public void lost(int partition, RefusedException reason) {
    take(partition).forEach(attachment -> post(attachment, () -> attachment.take(reason)));
    delivered.watches().lost(partition);
    delivered.freshness().giveUp(partition, reason);
  }

  private synchronized List<Attachment> take(int partition) {
    Predicate<Attachment> isOfPartition = one -> one.request().partition() == partition;
    List<Attachment> taken = attachmentByChannel.values().stream().filter(isOfPartition).toList();
    attachmentByChannel.values().removeIf(isOfPartition);
    taken.forEach(readings::leave);
    holders.lost(partition);
    return taken;
  }

  /**
   * Position of the last change of a channel that was delivered on that connection; empty until the
   * log is known to hold the position that the channel continues behind.
   */
  public synchronized OptionalLong delivered(String channelId, long epoch, Port connection) {
    Attachment attachment = attachmentByChannel.get(channelId);
    return attachment != null
            && attachment.connection() == connection
            && attachment.request().epoch() == epoch
        ? attachment.delivered()
        : OptionalLong.empty();
  }

  /** Partitions with attachments, waiting ones included. */
  public synchronized Set<Integer> partitions() {
    Set<Integer> partitions = new TreeSet<>();
    attachmentByChannel.values().forEach(one -> partitions.add(one.request().partition()));
    return partitions;
  }

  /** The number of attachments. */
  public synchronized int count() {
    return attachmentByChannel.size();
  }

  /** The connection of an attached client; for its event loop. */
  public interface Port extends DeliveryPort {

    /** The channels that the connection delivers. */
    CarriedChannels carried();

    /** The client's principal, which grants must name; empty without authentication. */
    default String holder() {
      return "";
    }

    /** Tells the client that a channel cannot be delivered any further. */
    void pushFailure(int handle, RefusedException reason);
  }

  /** The outcome of a request to attach, called once, on the connection's event loop. */
  public interface Answer {

    /** The attachment is open; deliveries follow. */
    void attached(Attached attached);

    /** The request is refused. */
    void refused(RefusedException reason);

    /** The client is gone or has detached, so no answer is due. */
    void dropped();
  }
}
