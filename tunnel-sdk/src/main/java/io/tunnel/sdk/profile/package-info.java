/**
 * What stands in {@code ~/.tunnel/profiles} and in the environment, made into endpoints and {@link
 * io.tunnel.sdk.security.ClientSecurity}.
 */
package io.tunnel.sdk.profile;
