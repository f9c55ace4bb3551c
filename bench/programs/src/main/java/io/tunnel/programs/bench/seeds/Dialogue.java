package io.tunnel.programs.bench.seeds;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * How one connection speaks to a server, one request at a time: the dialogue makes the bytes of
 * greeting and requests, and finds the end of each answer. Belongs to one event loop.
 */
interface Dialogue {

  /** The first bytes of the client. */
  ByteBuf greeting(ByteBufAllocator allocator);

  /** The bytes of a request, or as many of them as may be sent now. */
  ByteBuf request(ByteBufAllocator allocator, String name, byte[] payload);

  /** Takes received bytes, and tells what came of them. Does not release them. */
  void read(ByteBuf bytes, Events events);

  /** What a dialogue tells its connection. */
  interface Events {

    /** The server takes requests. */
    void greeted();

    /** The open request has its answer. */
    void answered(byte[] payload);

    /** The dialogue is over. */
    void failed(String why);

    /** To be sent at once. */
    void send(ByteBuf bytes);

    /** For bytes that are to be sent. */
    ByteBufAllocator allocator();
  }
}
