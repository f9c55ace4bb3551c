package io.tunnel.flink.source.reader;

import io.tunnel.flink.source.split.TunnelSplitState;

/** The state of a split, and its figures. */
record SplitProgress(TunnelSplitState state, ChannelFigures.Figures figures) {

  void emitted(FetchedRecord fetched) {
    state.emitted(fetched.record(), fetched.type(), fetched.seenIn());
    figures.emitted(state.position());
  }
}
