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
 * The channels that one connection delivers, by their names there, and what it is attached to.
 * Belongs to the connection's event loop.
 */
public final class CarriedChannels {

  private final Map<Integer, Channel> channels = new HashMap<>();
  private final Map<Integer, Attachment> attachments = new HashMap<>();

  /** What the sessions on the connection hold, by the names that they have for it. */
  private final Map<Integer, Held> holds = new HashMap<>();

  /** A channel that a session holds. */
  record Held(String channelId, int partition, long epoch) {}

  /** How many channels the connection is attached to, or about to be. */
  int attachmentCount() {
    return attachments.size();
  }

  /** Whether it is attached to none, and no session on it holds one. */
  public boolean areNone() {
    return attachments.isEmpty() && holds.isEmpty();
  }

  /** The connection is to be attached to a channel. */
  void add(Attachment attachment) {
    attachments.put(attachment.handle(), attachment);
  }

  /** The client wants no more of that; one that is not there is detached already. */
  public void detach(ChannelRef ref) {
    attachment(ref.handle())
        .filter(attachment -> attachment.request().epoch() == ref.epoch())
        .ifPresent(Attachment::over);
  }

  /** What is attached under that handle, if anything, is delivered no more for that reason. */
  public void take(int handle, RefusedException reason) {
    attachment(handle).ifPresent(attachment -> attachment.take(reason));
  }

  Optional<Attachment> attachment(int handle) {
    return Optional.ofNullable(attachments.get(handle));
  }

  /** The partition that is delivered under that handle. */
  public Optional<Integer> partition(int handle) {
    return attachment(handle).map(attachment -> attachment.request().partition());
  }

  /** A channel is delivered from now on. */
  void carry(int handle, Channel channel) {
    channels.put(handle, channel);
  }

  /** An attached channel is delivered no more, if it was. */
  void drop(int handle) {
    attachments.remove(handle);
    Channel channel = channels.remove(handle);
    if (channel != null) {
      channel.stop();
    }
  }

  /** The client takes more of a channel; credit of one that it has no more is void. */
  public void credit(Credit credit) {
    Channel channel = channels.get(credit.handle());
    if (channel != null && channel.epoch() == credit.epoch()) {
      channel.credit(credit.bytes());
    }
  }

  /** Whether the connection is attached by that name. */
  public boolean isAttached(int handle) {
    return attachments.containsKey(handle);
  }

  /** The client says where an attached channel ends. */
  public void limit(ChannelEnd end) {
    Attachment attachment = attachments.get(end.handle());
    if (attachment.request().type() == ChannelType.BaseData) {
      throw new MalformedException("a base channel ends where its rows do, not at a limit");
    }
    if (attachment.isGranted()) {
      // The grant says where the channel ends, and the client does not.
      return;
    }
    Channel channel = channels.get(end.handle());
    if (channel != null && channel.epoch() == end.epoch()) {
      channel.endAt(end.position());
    }
  }

  /** A session on the connection holds a channel from now on. */
  public void hold(Assignment assignment) {
    holds.put(
        assignment.handle(),
        new Held(assignment.channelId(), assignment.partition(), assignment.epoch()));
  }

  /** What a session on the connection holds by that name. */
  Optional<Held> held(int handle) {
    return Optional.ofNullable(holds.get(handle));
  }

  /** The session gives the channel back, or has lost it; empty when it held none by that name. */
  Optional<Held> release(int handle) {
    return Optional.ofNullable(holds.remove(handle));
  }

  /** The connection takes more again. */
  public void resume() {
    List.copyOf(channels.values()).forEach(Channel::resume);
  }

  /** The connection is gone. */
  public void stopAll() {
    List.copyOf(attachments.values()).forEach(Attachment::over);
    channels.values().forEach(Channel::stop);
    channels.clear();
  }
}
