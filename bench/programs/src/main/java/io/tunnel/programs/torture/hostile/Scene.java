package io.tunnel.programs.torture.hostile;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A closed server with somebody whose things are wanted, and somebody who has a key and no right on
 * them.
 *
 * @param owner has all rights on the victim
 * @param intruder has all rights on the lair, and none on anything else
 * @param victim a table and a tunnel of the owner; its session, handle and epoch name nothing
 * @param lair a table and a tunnel of the intruder; its session, handle and epoch name nothing
 */
public record Scene(Target target, AccessKey owner, AccessKey intruder, Named victim, Named lair) {

  /** The owner of a table may also drop tunnels whose names begin so. */
  static final String KEPT = "kept";

  private static final String TUNNEL = "audit";

  /** The end of all names of a scene, so that foreign tables of a server stay untouched. */
  private record Maker(ClientConfig admin, String suffix) {

    private Named named(String what) {
      String principal = what + "_owner" + suffix;
      try (SecurityClient security = new SecurityClient(admin);
          TableClient tables = TableClient.connect(admin);
          TunnelClient tunnels = new TunnelClient(admin)) {
        String table = what + suffix;
        TableInfo made = tables.createTable(Named.meta(table), List.of());
        String tunnelId =
            tunnels
                .createTunnel(
                    new CreateTunnelRequest(table, TUNNEL, TunnelType.Stream, StreamStart.EARLIEST))
                .getTunnelId();
        String tokenId =
            security
                .createToken(principal, Optional.of(Instant.parse("2100-01-01T00:00:00Z")))
                .token()
                .id();
        security.grant(
            Permission.allow(
                principal, List.of("read", "write", "create", "alter"), "table:" + table + "*"));
        security.grant(
            Permission.allow(
                principal, List.of("consume", "create", "operate"), "tunnel:" + table + "/*"));
        security.grant(
            Permission.allow(principal, List.of("drop"), "tunnel:" + table + "/" + KEPT + "*"));
        Named absent = Named.absent();
        return new Named(
            table,
            TUNNEL,
            made.tableId(),
            made.partitions().get(0).id(),
            tunnelId,
            absent.sessionId(),
            absent.handle(),
            absent.epoch(),
            key(security, principal).id(),
            tokenId,
            principal);
      }
    }

    private AccessKey key(SecurityClient security, String principal) {
      IssuedKey issued = security.createKey(principal);
      return new AccessKey(issued.key().id(), issued.secret());
    }

    private AccessKey key(String principal) {
      try (SecurityClient security = new SecurityClient(admin)) {
        return key(security, principal);
      }
    }
  }

  /**
   * Makes keys, tables and tunnels for it.
   *
   * @param admin who may do everything
   * @param suffix what all names of it end with
   */
  public static Scene make(Target target, ClientConfig admin, String suffix) {
    Maker maker = new Maker(admin, suffix);
    Named victim = maker.named("victim");
    Named lair = maker.named("lair");
    return new Scene(
        target, maker.key(victim.principal()), maker.key(lair.principal()), victim, lair);
  }

  /** Takes away what {@link #make} has made. */
  public void remove(ClientConfig admin) {
    try (SecurityClient security = new SecurityClient(admin);
        TableClient tables = TableClient.connect(admin);
        TunnelClient tunnels = new TunnelClient(admin)) {
      for (Named one : List.of(victim, lair)) {
        tunnels.deleteTunnel(new DeleteTunnelRequest(one.table(), one.tunnel()));
        tables.dropTable(one.table());
        security.revokeToken(one.tokenId());
        security
            .permissions(Optional.of(one.principal()))
            .permissions()
            .forEach(security::withdraw);
        security.keys().stream()
            .filter(key -> key.principal().equals(one.principal()))
            .forEach(key -> security.revokeKey(key.id()));
      }
    }
  }
}
