package io.tunnel.server.security;

/**
 * All that one subject is allowed and denied. Never changes.
 *
 * @param tables by patterns of tables
 * @param tunnels by patterns of tunnels
 * @param cluster on the cluster
 */
record Grants(PatternTree tables, PatternTree tunnels, Tally cluster) {

  /** Of no permission. */
  static final Grants NONE = new Grants(PatternTree.EMPTY, PatternTree.EMPTY, Tally.NONE);

  /** ADMIN, allowed and denied: it goes on to what is below that which it is on. */
  private static final int ADMIN_MASKS =
      Rights.allowing(Rights.ADMIN) | Rights.denying(Rights.ADMIN);

  boolean isEmpty() {
    return tables.isEmpty() && tunnels.isEmpty() && cluster == Tally.NONE;
  }

  Grants plus(Permission permission) {
    Resource on = permission.resource();
    int masks = permission.masks();
    return switch (on.kind()) {
      case TABLE -> new Grants(tables.plus(on, masks), tunnels, cluster);
      case TUNNEL -> new Grants(tables, tunnels.plus(on, masks), cluster);
      case CLUSTER -> new Grants(tables, tunnels, cluster.plus(masks));
    };
  }

  /** The permission is one of these. */
  Grants minus(Permission permission) {
    Resource on = permission.resource();
    int masks = permission.masks();
    return switch (on.kind()) {
      case TABLE -> new Grants(tables.minus(on, masks), tunnels, cluster);
      case TUNNEL -> new Grants(tables, tunnels.minus(on, masks), cluster);
      case CLUSTER -> new Grants(tables, tunnels, cluster.minus(masks));
    };
  }

  /** What is allowed and denied on a table, or on a tunnel of it, or on the cluster. */
  int masks(Resource.Kind kind, String table, String tunnel) {
    return switch (kind) {
      case TABLE -> everywhere() | tables.match(table);
      case TUNNEL -> ofTable(table) | tunnels.match(table, tunnel);
      case CLUSTER -> cluster.masks();
    };
  }

  /** What is allowed and denied on all tunnels of a table. */
  int masksOfTunnels(String table) {
    return ofTable(table) | tunnels.matchTunnels(table);
  }

  /**
   * What is allowed and denied on the tunnel that the beginning of a text names, or on all whose
   * {@code TABLE/TUNNEL} begin with it.
   */
  int masksOfTunnels(String table, String text, int end, boolean isName) {
    return ofTable(table) | tunnels.match(text, end, isName);
  }

  /** What permissions on the table say of its tunnels: those with ADMIN alone do. */
  private int ofTable(String table) {
    return everywhere() | included(tables.match(table));
  }

  private int everywhere() {
    return included(cluster.masks());
  }

  /** All rights for ADMIN, and none for any other. */
  private static int included(int masks) {
    int admin = masks & ADMIN_MASKS;
    int allowed = Rights.included(Rights.allowed(admin));
    return Rights.allowing(allowed) | Rights.denying(Rights.included(Rights.denied(admin)));
  }
}
