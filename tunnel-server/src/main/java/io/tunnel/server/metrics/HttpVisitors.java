package io.tunnel.server.metrics;

import io.netty.channel.ChannelPipeline;
import java.util.Optional;

/** Who is shown figures. Asked by event loops, which must not wait. */
@FunctionalInterface
public interface HttpVisitors {

  /** What a visitor is shown. */
  enum Visit {
    /** Everything. */
    WELCOME,
    /** Only whether the server is healthy, because who it is was not said, or is not known. */
    UNKNOWN,
    /** Only whether the server is healthy, because they may not see more. */
    NOT_PERMITTED
  }

  /** Shows everything to everybody. */
  HttpVisitors ANYBODY = (connection, bearer) -> Visit.WELCOME;

  /**
   * What a visitor is shown.
   *
   * @param connection on which the visitor came
   * @param bearer the token that was sent, if one was
   */
  Visit visit(ChannelPipeline connection, Optional<String> bearer);
}
