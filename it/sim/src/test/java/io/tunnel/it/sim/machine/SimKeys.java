package io.tunnel.it.sim.machine;

import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.Secret;
import io.tunnel.server.net.access.SimGate;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The keys with which the processes of a closed world come. A process comes as its kind: {@code w3}
 * as one of two principals of workers, {@code reader.2} as the reader. A process whose principal
 * has no key yet comes as the administrator.
 */
public final class SimKeys {

  /** The key of the administrator, which the security directory has and no catalog. */
  public static final AccessKey ADMINISTRATOR =
      new AccessKey(SimGate.KEY_ID, Secret.of(SimGate.SECRET));

  private static final int WORKER_PRINCIPALS = 2;

  /** Connections that are opened with a former secret when its rotation has ended. */
  private static final int LATE_MAX = 2;

  private final Map<String, AccessKey> keyByPrincipal = new HashMap<>();
  private final Map<String, Former> formerByPrincipal = new HashMap<>();
  private final Map<SimSocket, Came> cameBySocket = new HashMap<>();

  /** As whom a connection was opened, and with which key. */
  public record Came(String principal, AccessKey key) {}

  /** A key with its former secret, which every second connection of its principal uses. */
  private static final class Former {
    private final AccessKey key;
    private boolean isNext;

    /** How many more will be opened with it. */
    private int left = Integer.MAX_VALUE;

    Former(AccessKey key) {
      this.key = key;
    }

    boolean isTaken() {
      isNext = !isNext;
      if (isNext && left > 0) {
        left--;
        return true;
      }
      return false;
    }
  }

  SimKeys() {}

  /** Whose rights the process has. */
  public static String principal(String process) {
    if (process.matches("w[0-9]+")) {
      return "worker-" + Integer.parseInt(process.substring(1)) % WORKER_PRINCIPALS;
    }
    int dot = process.indexOf('.');
    return dot < 0 ? process : process.substring(0, dot);
  }

  /** The principal comes with that key from now on. */
  public void put(String principal, AccessKey key) {
    formerByPrincipal.remove(principal);
    keyByPrincipal.put(principal, key);
  }

  /**
   * The principal comes with that key from now on, and not everywhere yet: also with the former.
   */
  public void rotate(String principal, AccessKey key, AccessKey former) {
    keyByPrincipal.put(principal, key);
    formerByPrincipal.put(principal, new Former(former));
  }

  /** The former key is invalid from now on, but some clients of the principal still use it. */
  public void rotated(String principal) {
    formerByPrincipal.get(principal).left = LATE_MAX;
  }

  /** Nobody comes with a former secret any more. */
  public void settle() {
    formerByPrincipal.clear();
  }

  /** The key with which the process comes. */
  public AccessKey of(String process) {
    Former former = formerByPrincipal.get(principal(process));
    return former != null && former.isTaken() ? former.key : newest(process);
  }

  /** The newest key of the process's principal. */
  public AccessKey newest(String process) {
    return keyByPrincipal.getOrDefault(principal(process), ADMINISTRATOR);
  }

  /** The client's end of a connection, on which the process comes with that key. */
  void came(SimSocket socket, String process, AccessKey key) {
    cameBySocket.put(socket, new Came(principal(process), key));
  }

  /** Who comes on the connection of that end, if that was asked. */
  public Optional<Came> who(SimSocket client) {
    return Optional.ofNullable(cameBySocket.get(client));
  }
}
