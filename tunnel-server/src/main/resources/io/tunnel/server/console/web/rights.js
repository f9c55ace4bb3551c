// What a principal may do, as the server decides it (io.tunnel.server.security.Permissions). The page only leaves out what would be
// refused; the server decides each request again.

/**
 * @typedef {{ subject: string, isAllowed: boolean, rights: string[], resource: string }} Permission
 * @typedef {{ principal?: string, groups: string[], permissions: Permission[], isAdministrator: boolean }} Identity
 */

/**
 * @param {string} pattern a name, or the beginning of names and "*"
 * @param {string} name
 */
function matches(pattern, name) {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

/**
 * Whether a permission on a resource also counts for what is named; admin reaches what is below its resource.
 *
 * @param {Permission} permission
 * @param {{ table?: string, tunnel?: string }} named nothing for the cluster
 * @param {string} right
 */
function concerns(permission, named, right) {
  const isAdmin = permission.rights.includes('admin');
  if (!isAdmin && !permission.rights.includes(right)) {
    return false;
  }
  const { resource } = permission;
  if (resource === 'cluster') {
    return isAdmin || named.table === undefined;
  }
  if (named.table === undefined) {
    return false;
  }
  if (resource.startsWith('table:')) {
    return matches(resource.slice('table:'.length), named.table) && (isAdmin || named.tunnel === undefined);
  }
  const [table, tunnel] = resource.slice('tunnel:'.length).split('/');
  return named.tunnel !== undefined && matches(table, named.table) && matches(tunnel ?? '', named.tunnel);
}

/**
 * Whether the server would let the principal do something: a permission allows the right, and none denies it.
 *
 * @param {Identity | null} identity null before the server has said who the viewer is
 * @param {string} right
 * @param {{ table?: string, tunnel?: string }} named nothing for the cluster
 */
export function may(identity, right, named) {
  if (identity === null) {
    return false;
  }
  if (identity.principal === undefined || identity.isAdministrator) {
    return true;
  }
  const concerning = identity.permissions.filter((permission) => concerns(permission, named, right));
  return concerning.length > 0 && concerning.every((permission) => permission.isAllowed);
}
