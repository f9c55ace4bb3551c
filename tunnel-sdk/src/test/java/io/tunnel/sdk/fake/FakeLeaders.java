package io.tunnel.sdk.fake;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.fake.FakeAttachments.Attachment;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A tunnel in a cluster, over real sockets: node 0 has its sessions, and the leader of each
 * partition delivers the channel to the client that attaches there. Positions are those of a shared
 * log: every third is no change. The rows of base channels are numbered without holes.
 */
public final class FakeLeaders implements AutoCloseable {

  private final List<FakeServer> nodes = new ArrayList<>();
  private final List<LedChannel> channels = new ArrayList<>();
  private final FakeAttachments attachments = new FakeAttachments();
  private final List<String> events = new ArrayList<>();
  private Optional<FakeConnection> session = Optional.empty();
  private Optional<ErrorCode> attachRefusal = Optional.empty();
  private Optional<ErrorCode> checkpointRefusal = Optional.empty();
  private boolean isSilentOnReleases;
  private int attempts;

  /** {@code nodeCount} nodes, and one channel of the type for each of {@code leaders}. */
  public FakeLeaders(int nodeCount, ChannelType type, int... leaders) {
    for (int leader : leaders) {
      channels.add(new LedChannel(channels.size(), leader, type));
    }
    for (int i = 0; i < nodeCount; i++) {
      int index = i;
      FakeServer node = new FakeServer();
      nodes.add(node);
      node.on(Operation.ATTACH, (connection, frame) -> attach(index, connection, frame));
      node.on(Operation.DETACH, this::detach);
      node.on(Operation.CREDIT, this::credit);
      node.on(Operation.LIMIT, this::limit);
      node.on(Operation.RENEW, this::renew);
      node.on(
          Operation.OPEN_SESSION,
          (connection, frame) -> connection.sendOn(frame, Optional.of(nodes.get(0).address())));
      node.onEnd(this::ended);
    }
    FakeServer first = nodes.get(0);
    first.on(Operation.OPEN_SESSION, this::openSession);
    first.on(Operation.HEARTBEAT, (connection, frame) -> connection.answer(frame, new byte[0]));
    first.on(Operation.CLOSE_SESSION, (connection, frame) -> connection.answer(frame, new byte[0]));
    first.on(Operation.CHECKPOINT, this::checkpoint);
    first.on(Operation.RELEASE, this::release);
    first.on(Operation.STOP_CHANNEL, this::stop);
  }

  /** How to reach the nodes, but for the first. */
  public ClientConfig config() {
    return ClientConfig.of(
        nodes.stream().skip(1).map(node -> Endpoint.of(node.address())).toList());
  }

  /** A node. */
  public FakeServer node(int index) {
    return nodes.get(index);
  }

  private synchronized void openSession(FakeConnection connection, Frame frame) {
    session = Optional.of(connection);
    events.add("open");
    connection.answer(frame, Json.encode(new SessionControl.SessionOpened("s", FakeTable.meta())));
    channels.forEach(this::assign);
  }

  private void assign(LedChannel channel) {
    session
        .orElseThrow()
        .push(
            Operation.ASSIGN,
            Json.encode(
                new SessionControl.Assignment(
                    "s",
                    channel.id(),
                    channel.index,
                    channel.index,
                    channel.epoch,
                    channel.checkpointed,
                    channel.type,
                    leader(channel).filter(address -> channel.leader > 0),
                    channel.key,
                    channel.end,
                    Optional.empty(),
                    Bytes.EMPTY,
                    Optional.empty())));
  }

  private Optional<String> leader(LedChannel channel) {
    return channel.leader < 0 ? Optional.empty() : Optional.of(nodes.get(channel.leader).address());
  }

  private synchronized void attach(int node, FakeConnection connection, Frame frame) {
    attempts++;
    Attach asked = Json.decode(frame.payload(), Attach.class);
    LedChannel channel = channels.get(asked.partition());
    if (channel.leader != node) {
      events.add("sent on " + channel.index + " by " + node);
      connection.sendOn(frame, leader(channel));
      return;
    }
    if (attachRefusal.isPresent()) {
      connection.refuse(frame, attachRefusal.get());
      return;
    }
    String end = asked.end().map(at -> " to " + at).orElse("");
    events.add("attach " + channel.index + " at " + node + " from " + asked.position() + end);
    if (asked.grant().length() > 0) {
      events.add("grant " + channel.index + " " + asked.grant());
    }
    if (asked.key().length() > 0) {
      events.add("key " + FakeTable.id(asked.key()));
    }
    Attachment attachment = attachments.add(channel, connection, asked);
    connection.answer(frame, Json.encode(new Attached(attachment.handle)));
  }

  private Attachment of(int channel) {
    return attachments
        .of(channel)
        .orElseThrow(() -> new AssertionError("channel " + channel + " is not attached"));
  }

  private synchronized void detach(FakeConnection connection, Frame frame) {
    int handle = ChannelRef.decode(frame.payload()).handle();
    attachments
        .of(connection, handle)
        .ifPresent(
            attachment -> {
              events.add("detach " + attachment.channel.index + " at " + attachment.node);
              attachments.remove(attachment);
            });
    connection.answer(frame, new byte[0]);
  }

  private synchronized void credit(FakeConnection connection, Frame frame) {
    Credit credit = Credit.decode(frame.payload());
    attachments
        .of(connection, credit.handle())
        .ifPresent(attachment -> FakeAttachments.grant(attachment, credit.bytes()));
  }

  private synchronized void limit(FakeConnection connection, Frame frame) {
    ChannelEnd end = ChannelEnd.decode(frame.payload());
    if (session.isPresent() && session.get() == connection) {
      events.add("limit of " + end.handle() + " is " + end.position());
    } else {
      events.add(
          "limit at node of "
              + attachments.of(connection, end.handle()).orElseThrow().channel.index
              + " is "
              + end.position());
    }
  }

  private synchronized void renew(FakeConnection connection, Frame frame) {
    Renewal renewal = Renewal.decode(frame.payload());
    attachments
        .of(connection, renewal.handle())
        .ifPresent(
            at ->
                events.add("renew " + at.channel.index + " at " + at.node + " " + renewal.grant()));
  }

  private synchronized void checkpoint(FakeConnection connection, Frame frame) {
    Checkpoint checkpoint = Checkpoint.decode(frame.payload());
    LedChannel channel = channels.get(checkpoint.handle());
    if (checkpoint.epoch() != channel.epoch) {
      connection.refuse(frame, ErrorCode.FENCED);
      return;
    }
    if (checkpointRefusal.isPresent()) {
      events.add("refused checkpoint " + channel.index + " " + checkpoint.position());
      connection.refuse(frame, checkpointRefusal.get());
      return;
    }
    channel.checkpointed = checkpoint.position();
    channel.key = checkpoint.key();
    String key = checkpoint.key().length() > 0 ? " key " + FakeTable.id(checkpoint.key()) : "";
    events.add("checkpoint " + channel.index + " " + checkpoint.position() + key);
    connection.answer(frame, new byte[0]);
  }

  private synchronized void release(FakeConnection connection, Frame frame) {
    events.add("release " + ChannelRef.decode(frame.payload()).handle());
    if (!isSilentOnReleases) {
      connection.answer(frame, new byte[0]);
    }
  }

  /** From now on, the server does not answer releases. */
  public synchronized void ignoreReleases() {
    isSilentOnReleases = true;
  }

  private synchronized void stop(FakeConnection connection, Frame frame) {
    events.add("stop " + Json.decode(frame.payload(), SessionControl.StopChannel.class).handle());
    connection.answer(frame, new byte[0]);
  }

  private synchronized void ended(FakeConnection connection) {
    attachments.ended(connection);
  }

  /** Appends a batch of rows; of a stream, behind a position that is no change. */
  public synchronized void append(int index, int rows) {
    LedChannel channel = channels.get(index);
    append(index, rows, channel.log.last() + (channel.type == ChannelType.Stream ? 1 : 0));
  }

  /** Appends a batch of rows behind a position. */
  public synchronized void append(int index, int rows, long position) {
    LedChannel channel = channels.get(index);
    long base = position + 1;
    channel.log.append(rows, base, i -> base + i);
    attachments.pump(channel);
  }

  /**
   * Moves the leadership to another node, or to none for -1; the former leader refuses, and may
   * name the new one.
   */
  public synchronized void move(int index, int leader, boolean doesSayWho) {
    LedChannel channel = channels.get(index);
    channel.leader = leader;
    for (Attachment former : attachments.takeAll(channel)) {
      former.connection.notLeader(
          Operation.DELIVER.code(), former.handle, doesSayWho ? leader(channel) : Optional.empty());
    }
  }

  /** Moves the leadership; the former leader does not tell yet. */
  public synchronized void moveInSilence(int index, int leader) {
    channels.get(index).leader = leader;
  }

  /**
   * Moves the leadership; the former leader refuses, and then delivers one more batch, as a node
   * may whose threads learn of the move one by one.
   */
  public synchronized void moveWithLateDelivery(int index, int leader) {
    Attachment former = of(index);
    append(index, 2);
    LedChannel channel = former.channel;
    ChangeBatch last = channel.log.batches().get(channel.log.batches().size() - 1);
    move(index, leader, true);
    former.connection.push(Operation.DELIVER, FakeAttachments.payload(former, last));
    former.connection.push(
        Operation.END_OF_CHANNEL,
        new ChannelEnd(former.handle, former.epoch, channel.log.last() + 50).encode());
  }

  /** Ends the deliveries of a channel with an error. */
  public synchronized void refuse(int index, ErrorCode code) {
    Attachment attachment = of(index);
    attachments.remove(attachment);
    attachment.connection.error(Operation.DELIVER.code(), attachment.handle, code);
  }

  /** How every attachment is refused from now on. */
  public synchronized void refuseAttachments(Optional<ErrorCode> code) {
    attachRefusal = code;
  }

  /** The leader announces the end of a channel. */
  public synchronized void end(int index, long position) {
    Attachment attachment = of(index);
    attachment.connection.push(
        Operation.END_OF_CHANNEL,
        new ChannelEnd(attachment.handle, attachment.epoch, position).encode());
  }

  /** The leader announces that no further change comes up to a position. */
  public synchronized void settle(int index, long position) {
    Attachment attachment = of(index);
    attachment.connection.push(
        Operation.SETTLED, new ChannelEnd(attachment.handle, attachment.epoch, position).encode());
  }

  /** How checkpoints are refused from now on. */
  public synchronized void refuseCheckpoints(Optional<ErrorCode> code) {
    checkpointRefusal = code;
  }

  /** The session sends a newer grant of a channel. */
  public synchronized void renew(int index, Bytes grant) {
    long epoch = channels.get(index).epoch;
    session.orElseThrow().push(Operation.RENEW, new Renewal(index, epoch, grant).encode());
  }

  /** The session announces the end of a channel. */
  public synchronized void limit(int index, long position) {
    LedChannel channel = channels.get(index);
    channel.end = Optional.of(position);
    session
        .orElseThrow()
        .push(Operation.LIMIT, new ChannelEnd(index, channel.epoch, position).encode());
  }

  /** The session takes a channel back. */
  public synchronized void revoke(int index) {
    LedChannel channel = channels.get(index);
    session
        .orElseThrow()
        .push(
            Operation.REVOKE,
            Json.encode(new SessionControl.Revocation("s", index, channel.epoch, 10_000)));
  }

  /** Loses the session's connection. */
  public void dropSession() {
    FakeConnection connection;
    synchronized (this) {
      channels.forEach(channel -> channel.epoch++);
      connection = session.orElseThrow();
    }
    connection.drop();
  }

  /** Credit that the present deliverer of a channel has left; -1 while there is none. */
  public synchronized long credit(int index) {
    return attachments.of(index).map(a -> a.credit).orElse(-1L);
  }

  /** The node that delivers a channel; -1 while none does. */
  public synchronized int deliverer(int index) {
    return attachments.of(index).map(a -> a.node).orElse(-1);
  }

  /** The positions of all changes of a channel. */
  public synchronized List<Long> positions(int index) {
    return channels.get(index).log.positions();
  }

  /** The last position of a channel. */
  public synchronized long last(int index) {
    return channels.get(index).log.last();
  }

  /** What happened, in order. */
  public synchronized List<String> events() {
    return List.copyOf(events);
  }

  /** How often clients asked a node for deliveries. */
  public synchronized int attempts() {
    return attempts;
  }

  /** The encoded key of a row. */
  public static Bytes key(long id) {
    return KeyCodec.encode(PrimaryKeyValue.fromLong(id));
  }

  /** Sets the start of a channel. */
  public synchronized void startAt(int index, long position, Bytes key) {
    channels.get(index).checkpointed = position;
    channels.get(index).key = key;
  }

  /** What went wrong at any node. */
  public List<Throwable> failures() {
    return nodes.stream().flatMap(node -> node.failures().stream()).toList();
  }

  @Override
  public void close() {
    nodes.forEach(FakeServer::close);
  }
}
