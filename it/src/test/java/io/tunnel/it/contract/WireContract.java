package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.RawClient;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.SessionOpened;

/** What is said about sessions on the wire, and how it is said in few words. */
public abstract class WireContract extends Contract {

  static final int PLENTY = 1 << 20;
  public static final long LEASE_MS = 30_000;

  static String open(RawClient raw, String tunnelId, long leaseMs, int channelsMax) {
    return raw.request(
            Operation.OPEN_SESSION,
            new SessionControl.OpenSession(tunnelId, "raw", leaseMs, channelsMax),
            SessionOpened.class)
        .sessionId();
  }

  static Assignment opened(RawClient raw, String tunnelId) {
    var unused = open(raw, tunnelId, LEASE_MS, 0);
    return assigned(raw);
  }

  static Assignment assigned(RawClient raw) {
    return Json.decode(raw.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
  }

  static void credit(RawClient raw, Assignment held, int bytes) {
    raw.credit(held, bytes);
  }

  static Delivery delivered(RawClient raw) {
    return Delivery.decode(raw.awaitPush(Operation.DELIVER).payload());
  }

  static byte[] checkpoint(Assignment held, long position) {
    return new Checkpoint(held.handle(), held.epoch(), position).encode();
  }

  static void checkpointed(RawClient raw, Assignment held, long position) {
    assertThat(raw.request(Operation.CHECKPOINT, checkpoint(held, position))).isEmpty();
  }

  static ErrorCode refused(RawClient raw, Assignment held, long position) {
    return raw.refused(Operation.CHECKPOINT, checkpoint(held, position)).code();
  }

  final ChannelInfo channel(TableInfo table, Assignment held) {
    return channels(table, "audit").now().stream()
        .filter(channel -> channel.getChannelId().equals(held.channelId()))
        .findFirst()
        .orElseThrow();
  }
}
