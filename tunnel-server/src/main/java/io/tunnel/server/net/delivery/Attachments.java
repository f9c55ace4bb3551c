package io.tunnel.server.net.delivery;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.catalog.tunnel.ChannelKey;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Freshness;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.DeliveryPort;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.read.RowMoments;
import io.tunnel.server.table.BaseRows;
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
import java.util.function.LongFunction;
import java.util.function.Predicate;

/**
 * What this server delivers, because it serves the partitions, to those who attach: channels of
 * tunnels to workers, or partitions to readers without a tunnel. A reader keeps its positions
 * itself; nobody holds what it reads, so that any number of readers may read the same, nothing is
 * stored of it, and it is over with its connection.
 *
 * <p>Its monitor guards which attachments there are, and what is known of holders; nothing else is
 * called under it.
 */
public final class Attachments {

  /** Channels that one connection may be attached to. */
  public static final int OF_CONNECTION_MAX = 4_096;

  /** Characters of a tunnel's id; those that servers give are shorter. */
  static final int TUNNEL_ID_CHARS_MAX = 64;

  private final Delivered delivered;
  private final Positions positions;
  private final Kind kind;
  private final Holders holders;
  private final Map<String, Attachment> attachmentByChannel = new HashMap<>();

  /**
   * What can be delivered.
   *
   * @param hosts refuses partitions that are not served here, and says who leads them
   * @param incarnations tells positions apart that were given twice
   * @param freshness waits until everything is there that the log had
   * @param grants say which requests are of the session that holds a channel
   * @param clock says when grants end
   */
  public record Delivered(
      PartitionHosts hosts,
      ChangeReader changes,
      Channels channels,
      Incarnations incarnations,
      Freshness freshness,
      ChannelGrants grants,
      Shard.Clock clock) {}

  /**
   * What differs between workers and readers.
   *
   * @param tooMany says that a connection has as many attachments as it may have
   * @param areOfReaders whether rows say up to which position they have all changes
   * @param arePositionsThere whether positions have to be there before they are gone on behind
   * @param rows reads those of a partition, with all changes up to a position if they change at all
   */
  private record Kind(
      String tooMany,
      boolean areOfReaders,
      boolean arePositionsThere,
      LongFunction<BaseRows> rows) {}

  private Attachments(Delivered delivered, Kind kind) {
    this.delivered = delivered;
    this.positions = new Positions(delivered.changes(), delivered.incarnations());
    this.kind = kind;
    this.holders = new Holders(delivered.grants(), delivered.clock());
  }

  /**
   * Delivers channels of tunnels.
   *
   * @param rows as tunnels have them
   * @param isAlone whether this is the only server: what its log lost is taken from checkpoints
   *     before anybody is served, so that no worker has a position that is not there
   */
  public static Attachments ofTunnels(Delivered delivered, BaseRows rows, boolean isAlone) {
    String tooMany =
        "a connection is attached to " + OF_CONNECTION_MAX + " channels at most; detach some";
    return new Attachments(delivered, new Kind(tooMany, false, isAlone, settled -> rows));
  }

  /**
   * Delivers partitions to readers without a tunnel.
   *
   * @param moments where rows are read
   */
  public static Attachments ofReaders(Delivered delivered, RowMoments moments) {
    String tooMany = "a connection reads " + OF_CONNECTION_MAX + " partitions at most; detach some";
    return new Attachments(delivered, new Kind(tooMany, true, true, moments::since));
  }

  /**
   * Attaches to a channel of a tunnel, under that handle; on the connection's event loop. The
   * channel's id is the one that belongs to the tunnel: it is remembered when nobody is attached
   * any more, and so are not as many bytes as a client likes.
   *
   * @throws RefusedException if it is refused at once; {@code answer} is told nothing then
   */
  public void attach(Attach request, int handle, Port connection, Answer answer) {
    requireId(request);
    attach(Wanted.channel(request, handle), connection, answer);
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

  /** As {@link #attach(Attach, int, Port, Answer)}, to a partition without a tunnel. */
  public void attach(ReadPartition request, int handle, Port connection, Answer answer) {
    attach(Wanted.reading(request, handle), connection, answer);
  }

  private void attach(Wanted wanted, Port connection, Answer answer) {
    if (connection.carried().attachmentCount() >= OF_CONNECTION_MAX) {
      throw new RefusedException(ErrorCode.BUSY, kind.tooMany());
    }
    Attach request = wanted.request();
    var unused = delivered.hosts().of(request.partition());
    Optional<Terms> terms = holders.terms(request, connection.holder());
    OptionalLong deadlineNanos =
        terms.stream().mapToLong(said -> holders.deadlineNanos(request, said)).findFirst();
    Attachment attachment =
        new Attachment(
            terms.map(wanted::on).orElse(wanted), deadlineNanos, connection, answer, this::gone);
    Optional<Attachment> replaced = admit(attachment);
    connection.carried().add(attachment);
    replaced.ifPresent(one -> post(one, () -> one.replacedBy(request.epoch())));
    try {
      begin(attachment);
    } catch (RuntimeException e) {
      attachment.failed();
      throw e;
    }
  }

  private void begin(Attachment attachment) {
    int partition = attachment.request().partition();
    // Again: it may have been lost before it could be known here who is attached.
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
   * An attached channel has a newer grant, which says until when it lasts, and where it ends if
   * that was found. A grant of something else ends the attachment, and one that has ended says
   * nothing.
   */
  public void renew(Renewal renewal, Port connection) {
    connection
        .carried()
        .attachment(renewal.handle())
        .filter(one -> one.request().epoch() == renewal.epoch())
        .ifPresent(one -> renew(one, renewal.grant()));
  }

  /**
   * A session has a newer grant of a channel that it holds. Where this server delivers the channel,
   * the grant counts at once: a worker that hangs for a while loses nothing as long as its session
   * lives.
   *
   * @param renewal by the session's name of the channel
   * @param session the connection of the session; on its event loop
   */
  public void renewHeld(Renewal renewal, Port session) {
    session
        .carried()
        .held(renewal.handle())
        .flatMap(this::attached)
        .ifPresent(one -> onLoop(one, session, () -> renew(one, renewal.grant())));
  }

  /** On the event loop of the attachment, which may be that of the session. */
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
    Attach request = attachment.request().withGrant(Optional.of(grant));
    Terms terms;
    try {
      terms = holders.terms(request, attachment.connection().holder()).orElseThrow();
    } catch (RefusedException e) {
      attachment.take(e);
      return;
    }
    try {
      attachment.lastsUntil(holders.deadlineNanos(request, terms));
      terms.end().ifPresent(attachment::endAt);
    } catch (RefusedException e) {
      // The attachment lasts as long as it did before.
      return;
    }
  }

  /** Ends what lasts longer than its grant; to be called a few times a second, by any thread. */
  public void tick() {
    overdue().forEach(attachment -> post(attachment, () -> endOverdue(attachment)));
  }

  private synchronized List<Attachment> overdue() {
    return attachmentByChannel.values().stream().filter(holders::isOverdue).toList();
  }

  /** Again: its connection may have a newer grant by now. */
  private void endOverdue(Attachment attachment) {
    if (holders.isOverdue(attachment)) {
      attachment.take(
          new RefusedException(
              ErrorCode.BUSY,
              "the grant of channel "
                  + attachment.request().channelId()
                  + " has ended, and its session renewed it no more; attach again with the next"
                  + " grant of the session"));
    }
  }

  /**
   * A session does not hold a channel any more, or is to give it back: nothing of it is delivered
   * on any connection of this server, and its grants are good for nothing here. Its worker hears so
   * from the session.
   *
   * @param handle the session's name of it
   * @param session the connection of the session; on its event loop
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
    attachmentByChannel.put(channelId, attachment);
    return current;
  }

  /** From threads that must not fail because a connection's has ended: nobody waits there then. */
  private static void post(Attachment attachment, Runnable task) {
    try {
      attachment.connection().execute(task);
    } catch (RejectedExecutionException e) {
      return;
    }
  }

  /** Why a partition is not served here, if it is not. */
  private Optional<RefusedException> refused(int partition) {
    try {
      var unused = delivered.hosts().of(partition);
      return Optional.empty();
    } catch (RefusedException e) {
      return Optional.of(e);
    }
  }

  /**
   * Changes that are certainly behind those that were processed; rows have to be fresh, and nobody
   * is refused for changes that are only not read yet.
   */
  private boolean isPresent(Wanted wanted) {
    return wanted.request().type() == ChannelType.Stream
        && wanted
            .known()
            .filter(known -> positions.areBehind(wanted.request().partition(), known))
            .isEmpty()
        && missing(wanted).isEmpty();
  }

  /** Why nothing that is wanted can come behind what was seen, if so. */
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

  /** What is served must hold everything that the log held when it was asked for. */
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
    attachment.open(channel(attachment, port), port.told());
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
    Channel.Start start =
        new Channel.Start(
            attachment.handle(), request.epoch(), request.partition(), request.position());
    if (request.type() == ChannelType.BaseData) {
      BaseRows rows = kind.rows().apply(positions.settled(request.partition()));
      return delivered.channels().base(rows, request.tunnelId(), start, request.key(), port);
    }
    OptionalLong end = request.end().map(OptionalLong::of).orElse(OptionalLong.empty());
    return delivered.channels().stream(start, end, request.endMs(), port);
  }

  private synchronized void gone(Attachment attachment) {
    if (attachmentByChannel.remove(attachment.request().channelId(), attachment)) {
      holders.left(attachment);
    }
  }

  /**
   * This server does not serve a partition any more: nothing of it is delivered from here on, and
   * those who are attached are told. Its host must refuse before this is called.
   */
  public void lost(int partition, RefusedException reason) {
    take(partition).forEach(attachment -> post(attachment, () -> attachment.take(reason)));
    delivered.freshness().giveUp(partition, reason);
  }

  private synchronized List<Attachment> take(int partition) {
    Predicate<Attachment> isOfPartition = one -> one.request().partition() == partition;
    List<Attachment> taken = attachmentByChannel.values().stream().filter(isOfPartition).toList();
    attachmentByChannel.values().removeIf(isOfPartition);
    holders.lost(partition);
    return taken;
  }

  /**
   * Position of the last change of a channel that was delivered on that connection; nothing as long
   * as it is not known whether the position is there that the channel goes on behind.
   */
  public synchronized OptionalLong delivered(String channelId, long epoch, Port connection) {
    Attachment attachment = attachmentByChannel.get(channelId);
    return attachment != null
            && attachment.connection() == connection
            && attachment.request().epoch() == epoch
        ? attachment.delivered()
        : OptionalLong.empty();
  }

  /** Partitions with channels that are attached to, or are about to be. */
  public synchronized Set<Integer> partitions() {
    Set<Integer> partitions = new TreeSet<>();
    attachmentByChannel.values().forEach(one -> partitions.add(one.request().partition()));
    return partitions;
  }

  /** How many channels are attached to. */
  public synchronized int count() {
    return attachmentByChannel.size();
  }

  /** The connection of a client that attaches; for its event loop. */
  public interface Port extends DeliveryPort {

    /** What the connection delivers. */
    CarriedChannels carried();

    /** Whom channels are granted to here; empty where nobody is asked who they are. */
    default String holder() {
      return "";
    }

    /** Says that a channel cannot be delivered any further. */
    void pushFailure(int handle, RefusedException reason);
  }

  /** Is told once what became of a request to attach, on the connection's event loop. */
  public interface Answer {

    /** Deliveries follow. */
    void attached(Attached attached);

    /** There will be none. */
    void refused(RefusedException reason);

    /** Nobody waits for it any more: the client is gone, or wants nothing of it. */
    void dropped();
  }
}
