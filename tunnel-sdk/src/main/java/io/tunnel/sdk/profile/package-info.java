/**
 * Reads {@code ~/.tunnel/profiles} and the environment into endpoints and {@link
 * io.tunnel.sdk.security.ClientSecurity}.
 */
package io.tunnel.sdk.profile;
