/** The common base of server and SDK: rows and changes, their encoding, and the frames. */
@SuppressWarnings("module") // The compiler does not see the modules of server and test kit.
module io.tunnel.protocol {
  // Annotations of Gson refer to this module, so the compiler needs it; the run time does not.
  requires static com.google.errorprone.annotations;
  requires com.google.gson;

  exports io.tunnel.codec;
  exports io.tunnel.condition;
  exports io.tunnel.condition.judge;
  exports io.tunnel.core to
      io.tunnel.server,
      io.tunnel.testkit;
  exports io.tunnel.model;
  exports io.tunnel.model.value;
  exports io.tunnel.wire;
  exports io.tunnel.wire.control;
}
