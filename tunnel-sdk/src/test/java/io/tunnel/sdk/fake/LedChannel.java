package io.tunnel.sdk.fake;

import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import java.util.Optional;

/** A channel of {@link FakeLeaders}, and the node that leads its partition; -1 while none does. */
final class LedChannel {

  final int index;
  final ChannelType type;
  final FakeLog log;
  int leader;
  long epoch = 1;
  long checkpointed;
  Bytes key = Bytes.EMPTY;
  Optional<Long> end = Optional.empty();

  LedChannel(int index, int leader, ChannelType type) {
    this.index = index;
    this.log = new FakeLog(index);
    this.leader = leader;
    this.type = type;
  }

  String id() {
    return "p" + index + "_1";
  }
}
