package io.tunnel.perf;

import io.tunnel.sdk.processor.ICheckpointer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Remembers what was checkpointed, and may fail to. */
final class RecordedCheckpoints implements ICheckpointer {

  final List<String> tokens = new ArrayList<>();
  RuntimeException failure;

  @Override
  public void checkpoint(String token) {
    if (failure != null) {
      throw failure;
    }
    tokens.add(String.valueOf(token));
  }

  @Override
  public CompletableFuture<Void> checkpointAsync(String token) {
    throw new AssertionError("not used");
  }
}
