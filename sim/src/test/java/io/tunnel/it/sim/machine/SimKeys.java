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

  private final Map<String, AccessKey> keyByPrincipal = new HashMap<>();
  private final Map<SimSocket, Came> cameBySocket = new HashMap<>();

  /** As whom a connection was opened, and with which key. */
  public record Came(String principal, AccessKey key) {}

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
    keyByPrincipal.put(principal, key);
  }

  /** The key with which the process comes. */
  AccessKey of(String process) {
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
