package io.tunnel.flink.source.reader;

import io.tunnel.flink.source.split.TunnelSplitState;

/** A split that is read, and the figures that follow it. */
record SplitProgress(TunnelSplitState state, ChannelFigures.Figures figures) {

  void emitted(FetchedRecord fetched) {
    state.emitted(fetched.record(), fetched.type(), fetched.seenIn());
    figures.emitted(state.position());
  }
}
