/** The cost of an authorization decision, with the largest allowed number of permissions. */
package io.tunnel.bench.security;
