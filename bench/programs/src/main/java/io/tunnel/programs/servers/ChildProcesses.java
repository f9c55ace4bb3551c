package io.tunnel.programs.servers;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The child processes of this process, when they have to end quickly. */
public final class ChildProcesses {

  private static final long WAIT_MS_MAX = 700;

  private ChildProcesses() {}

  /** Asks them to end, as SIGTERM does, and gives them a moment. */
  public static void ask() {
    List<ProcessHandle> children = living();
    // Not Process.destroy, which also closes their standard input, and so ends them at once.
    children.forEach(ProcessHandle::destroy);
    await(children);
  }

  /** Kills the child processes, also children that start meanwhile. */
  public static void kill() {
    for (List<ProcessHandle> children = living(); !children.isEmpty(); children = living()) {
      children.forEach(ProcessHandle::destroyForcibly);
      await(children);
    }
  }

  private static List<ProcessHandle> living() {
    return ProcessHandle.current().descendants().filter(ProcessHandle::isAlive).toList();
  }

  private static void await(List<ProcessHandle> children) {
    CompletableFuture<?>[] ends =
        children.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(ends)
        .completeOnTimeout(null, WAIT_MS_MAX, TimeUnit.MILLISECONDS)
        .join();
  }
}
