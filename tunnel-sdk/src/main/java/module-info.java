/**
 * The public API: {@link io.tunnel.sdk} with {@linkplain io.tunnel.sdk.table tables}, {@linkplain
 * io.tunnel.sdk.checkpoint progress} and {@linkplain io.tunnel.sdk.cluster clusters}, {@link
 * io.tunnel.sdk.security}, and {@link io.tunnel.sdk.metrics}. Requires every library of the SDK,
 * because a modular program would start without an unnamed one.
 */
@SuppressWarnings({
  "module", // The compiler does not see the module of the test kit.
  "requires-automatic", // Micrometer is no module.
  "requires-transitive-automatic"
})
module io.tunnel.sdk {
  // Annotations of Gson refer to this module, so the compiler needs it; the run time does not.
  requires static com.google.errorprone.annotations;
  requires com.google.gson;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires transitive io.tunnel.protocol;
  requires org.apache.commons.codec;
  requires org.slf4j;
  // Optional: a program with metrics requires the module itself.
  requires static micrometer.core;

  exports io.tunnel.sdk;
  exports io.tunnel.sdk.answer to
      io.tunnel.testkit;
  exports io.tunnel.sdk.checkpoint;
  exports io.tunnel.sdk.cluster;
  exports io.tunnel.sdk.metrics;
  exports io.tunnel.sdk.processor;
  exports io.tunnel.sdk.security;
  exports io.tunnel.sdk.table;
  exports io.tunnel.sdk.tunnel;
  exports io.tunnel.sdk.watch;

  uses org.slf4j.spi.SLF4JServiceProvider;
}
