package io.tunnel.sdk.worker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a worker runs, said by its default tag: an operator finds its process by that. */
public final class HostTag {

  /** HOST-PID. */
  public static final String OF_THIS_PROCESS = of(host(), ProcessHandle.current().pid());

  private static final int HOST_CHARS_MAX = 200;

  private HostTag() {}

  public static String of(String host, long pid) {
    String name = host.isBlank() ? "worker" : host.strip();
    return name.substring(0, Math.min(name.length(), HOST_CHARS_MAX)) + "-" + pid;
  }

  /** What the system says, before anything that may ask a name server, which may take long. */
  private static String host() {
    String windows = System.getenv("COMPUTERNAME");
    if (windows != null) {
      return windows;
    }
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname"));
    } catch (IOException noLinux) {
      return resolvedHost();
    }
  }

  private static String resolvedHost() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "";
    }
  }
}
