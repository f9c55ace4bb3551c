package io.tunnel.sdk;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The default tag of a worker: host and process number, by which operators find its process. */
final class HostTag {

  /** HOST-PID. */
  static final String OF_THIS_PROCESS = of(host(), ProcessHandle.current().pid());

  private static final int HOST_CHARS_MAX = 200;

  private HostTag() {}

  static String of(String host, long pid) {
    String name = host.isBlank() ? "worker" : host.strip();
    return name.substring(0, Math.min(name.length(), HOST_CHARS_MAX)) + "-" + pid;
  }

  /** Asks the system first: the name server may take long to answer. */
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
