package io.tunnel.server.net.delivery;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.Channel;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Credit;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The attachments and channels of one connection, by handle. Belongs to the connection's event
 * loop.
 */
public final class CarriedChannels {

  private final Map<Integer, Channel> channels = new HashMap<>();
  private final Map<Integer, Attachment> attachments = new HashMap<>();

  /** The channels that sessions on the connection hold, by handle. */
  private final Map<Integer, Held> holds = new HashMap<>();

  /** A channel that a session holds. */
  record Held(String channelId, int partition, long epoch) {}

  /** The number of the connection's attachments, waiting ones included. */
  int attachmentCount() {
    return attachments.size();
  }

  /** Whether the connection has no attachment, and no session on it holds a channel. */
  public boolean areNone() {
    return attachments.isEmpty() && holds.isEmpty();
  }

  /** Adds a waiting attachment. */
  void add(Attachment attachment) {
    attachments.put(attachment.handle(), attachment);
  }

  /** Ends an attachment for its client; without one it does nothing. */
  public void detach(ChannelRef ref) {
    attachment(ref.handle())
        .filter(attachment -> attachment.request().epoch() == ref.epoch())
        .ifPresent(Attachment::over);
  }

  /** Ends the attachment with that handle, if there is one, and tells the client the reason. */
  public void take(int handle, RefusedException reason) {
    attachment(handle).ifPresent(attachment -> attachment.take(reason));
  }

  Optional<Attachment> attachment(int handle) {
    return Optional.ofNullable(attachments.get(handle));
  }

  /** The partition of the channel with that handle. */
  public Optional<Integer> partition(int handle) {
    return attachment(handle).map(attachment -> attachment.request().partition());
  }

  /** Begins to deliver a channel. */
  void carry(int handle, Channel channel) {
    channels.put(handle, channel);
  }

  /** Stops delivering a channel, if it was delivered. */
  void drop(int handle) {
    attachments.remove(handle);
    Channel channel = channels.remove(handle);
    if (channel != null) {
      channel.stop();
    }
  }

  /** Adds credit of the client to a channel; credit of a channel that is gone is void. */
  public void credit(Credit credit) {
    Channel channel = channels.get(credit.handle());
    if (channel != null && channel.epoch() == credit.epoch()) {
      channel.credit(credit.bytes());
    }
  }

  /** Whether the connection has an attachment with that handle. */
  public boolean isAttached(int handle) {
    return attachments.containsKey(handle);
  }

  /** Sets the end of an attached channel, as the client says. */
  public void limit(ChannelEnd end) {
    Attachment attachment = attachments.get(end.handle());
    if (attachment.request().type() == ChannelType.BaseData) {
      throw new MalformedException("a base channel ends where its rows do, not at a limit");
    }
    if (attachment.wanted().terms().isPresent()) {
      throw new MalformedException("a watch has no end, and takes no limit");
    }
    if (attachment.isGranted()) {
      // The grant says the end; the client's word does not count.
      return;
    }
    Channel channel = channels.get(end.handle());
    if (channel != null && channel.epoch() == end.epoch()) {
      channel.endAt(end.position());
    }
  }

  /** A session on the connection was assigned a channel. */
  public void hold(Assignment assignment) {
    holds.put(
        assignment.handle(),
        new Held(assignment.channelId(), assignment.partition(), assignment.epoch()));
  }

  /** The channel that a session on the connection holds under that handle. */
  Optional<Held> held(int handle) {
    return Optional.ofNullable(holds.get(handle));
  }

  /**
   * Forgets a channel that its session gave back or lost; empty when no session held one under that
   * handle.
   */
  Optional<Held> release(int handle) {
    return Optional.ofNullable(holds.remove(handle));
  }

  /** The connection is writable again. */
  public void resume() {
    List.copyOf(channels.values()).forEach(Channel::resume);
  }

  /** Stops all channels: the connection is closed. */
  public void stopAll() {
    List.copyOf(attachments.values()).forEach(Attachment::over);
    channels.values().forEach(Channel::stop);
    channels.clear();
  }
}
