package io.tunnel.server.net.access;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.server.session.RowSessions;
import io.tunnel.wire.Operation.Right;
import java.util.Set;

/**
 * Who may keep row sessions, by the newest keys and rights of a gate: a fixed administrator, and a
 * principal with the right to write to a table and, unless a certificate names the principal, with
 * a key.
 */
public record SessionOwners(Gate gate, Catalog catalog) implements RowSessions.Owners {

  private record Mark(SecuritySnapshot rights, Set<Principal> administrators) {}

  @Override
  public Object mark() {
    return gate.isOpen() ? gate : new Mark(gate.rights(), gate.administrators());
  }

  @Override
  public boolean mayKeep(String name) {
    if (gate.isOpen()) {
      return true;
    }
    Principal who = new Principal(name);
    if (gate.isAdministrator(who)) {
      return true;
    }
    SecuritySnapshot rights = gate.rights();
    boolean isKnown =
        who.isOfCertificate()
            || !rights
                .keys("", 1, key -> !key.isRevoked() && key.principal().equals(who))
                .isEmpty();
    return isKnown
        && catalog.tables().stream()
            .anyMatch(table -> rights.permissions().allows(who, Right.WRITE, table.meta().name()));
  }
}
