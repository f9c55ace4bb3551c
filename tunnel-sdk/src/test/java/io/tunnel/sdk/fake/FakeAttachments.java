package io.tunnel.sdk.fake;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The attachments to channels of {@link FakeLeaders}, and their deliveries. */
final class FakeAttachments {

  private final List<Attachment> attachments = new ArrayList<>();
  private int handles = 10;

  /** A channel as one node delivers it. */
  static final class Attachment {
    final LedChannel channel;
    final int node;
    final int handle;
    final FakeConnection connection;
    final long epoch;
    long delivered;
    long credit;

    Attachment(LedChannel channel, int node, int handle, FakeConnection connection, Attach asked) {
      this.channel = channel;
      this.node = node;
      this.handle = handle;
      this.connection = connection;
      this.epoch = asked.epoch();
      this.delivered = asked.position();
    }
  }

  /** Attaches a connection to a channel at its leader. */
  Attachment add(LedChannel channel, FakeConnection connection, Attach asked) {
    Attachment attachment = new Attachment(channel, channel.leader, handles++, connection, asked);
    attachments.add(attachment);
    return attachment;
  }

  void remove(Attachment attachment) {
    attachments.remove(attachment);
  }

  /** The attachment with a handle. */
  Optional<Attachment> of(FakeConnection connection, int handle) {
    return attachments.stream()
        .filter(a -> a.connection == connection && a.handle == handle)
        .findFirst();
  }

  /** The present attachment to a channel; the first when there are several. */
  Optional<Attachment> of(int channel) {
    return attachments.stream().filter(a -> a.channel.index == channel).findFirst();
  }

  /** Ends all attachments of a channel, and returns them. */
  List<Attachment> takeAll(LedChannel channel) {
    List<Attachment> former = attachments.stream().filter(a -> a.channel == channel).toList();
    attachments.removeAll(former);
    return former;
  }

  /** Ends the attachments of a closed connection. */
  void ended(FakeConnection connection) {
    attachments.removeIf(attachment -> attachment.connection == connection);
  }

  /** Gives an attachment credit, and delivers. */
  static void grant(Attachment attachment, long bytes) {
    attachment.credit += bytes;
    pump(attachment);
  }

  /** Delivers what a channel has, to all that are attached and have credit. */
  void pump(LedChannel channel) {
    attachments.stream().filter(a -> a.channel == channel).forEach(FakeAttachments::pump);
  }

  private static void pump(Attachment attachment) {
    for (ChangeBatch batch : attachment.channel.log.batches()) {
      if (attachment.credit > 0 && batch.lastPosition() > attachment.delivered) {
        byte[] payload = payload(attachment, batch);
        attachment.credit -= payload.length;
        attachment.delivered = batch.lastPosition();
        attachment.connection.push(Operation.DELIVER, payload);
      }
    }
  }

  /** The payload with the undelivered part of a batch. */
  static byte[] payload(Attachment attachment, ChangeBatch batch) {
    long first = Math.max(batch.basePosition(), attachment.delivered + 1);
    return FakeLog.delivery(attachment.handle, attachment.epoch, first, batch);
  }
}
