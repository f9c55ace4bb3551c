package io.tunnel.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import java.util.ArrayList;
import java.util.List;

/** What a connection has said. */
final class SentFrames {

  private SentFrames() {}

  /**
   * Takes the frames that were sent since this was asked last, as a client does, which drops the
   * connection at a frame that is too long.
   */
  static List<Frame> takenFrom(EmbeddedChannel nettyChannel) {
    nettyChannel.runPendingTasks();
    List<Frame> frames = new ArrayList<>();
    FrameAssembler assembler = new FrameAssembler();
    for (ByteBuf bytes = nettyChannel.readOutbound();
        bytes != null;
        bytes = nettyChannel.readOutbound()) {
      assembler.feed(bytes.nioBuffer(), frames::add);
      bytes.release();
    }
    return frames;
  }
}
