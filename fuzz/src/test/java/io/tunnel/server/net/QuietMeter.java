package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;

/** Counts nothing. */
final class QuietMeter implements NetMeter {

  @Override
  public void connected() {}

  @Override
  public void disconnected() {}

  @Override
  public void received(int bytes) {}

  @Override
  public void sent(int bytes) {}

  @Override
  public void delivered(int bytes) {}

  @Override
  public void closed(Farewell why) {}

  @Override
  public void refused(ErrorCode code) {}
}
