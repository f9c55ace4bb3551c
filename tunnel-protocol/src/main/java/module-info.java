/** What server and SDK both stand on: rows and changes, their encoding, and the frames. */
module io.tunnel.protocol {
  // Gson names it in annotations, which the compiler reads; nothing needs it at run time.
  requires static com.google.errorprone.annotations;
  requires com.google.gson;

  exports io.tunnel.codec;
  exports io.tunnel.model;
  exports io.tunnel.model.value;
  exports io.tunnel.wire;
  exports io.tunnel.wire.control;
}
