package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;

/** Is told what crosses the network; called on any thread. */
public interface NetMeter {

  /** A connection opened. */
  void connected();

  /** A connection closed. */
  void disconnected();

  /** Bytes came in. */
  void received(int bytes);

  /** Bytes other than deliveries go out. */
  void sent(int bytes);

  /** A delivery goes out. */
  void delivered(int bytes);

  /** A connection was closed that its client would have kept. */
  void closed(Farewell why);

  /** A request was refused. */
  void refused(ErrorCode code);
}
