package io.tunnel.server.channel;

import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.channel.ration.Rations;
import java.util.concurrent.TimeUnit;

/** Channels, and how they are slowed down. */
final class TestChannels {

  private TestChannels() {}

  /** Channels that are not slowed down, since nobody writes. */
  static Channels of(ChangeReader changes, int deliveryBytesMax) {
    return new Channels(changes, unhindered(deliveryBytesMax));
  }

  static Channels.Pacing unhindered(int deliveryBytesMax) {
    return new Channels.Pacing(deliveryBytesMax, new Rations(RationConfig.DEFAULT, () -> 0));
  }

  /** Those with 300 bytes in front of them have the least, because a write has no answer. */
  static Channels.Pacing slow(FakeConnection connection, int deliveryBytesMax) {
    Rations rations = new Rations(new RationConfig(true, 300, 1_000, 200), () -> connection.nanos);
    var unused = rations.writes().begin();
    connection.nanos += TimeUnit.SECONDS.toNanos(1);
    rations.tick();
    return new Channels.Pacing(deliveryBytesMax, rations);
  }
}
