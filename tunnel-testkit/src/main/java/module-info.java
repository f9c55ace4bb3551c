/** The {@linkplain io.tunnel.sdk.testing test kit}: the service in the memory of a test. */
module io.tunnel.testkit {
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires transitive io.tunnel.protocol;
  requires transitive io.tunnel.sdk;

  exports io.tunnel.sdk.testing;
}
