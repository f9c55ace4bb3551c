/**
 * How client and server authenticate each other: {@link io.tunnel.sdk.security.ClientSecurity}, a
 * part of {@link io.tunnel.sdk.ClientConfig}. Most programs read it from a profile: {@code
 * ClientConfig.of("profile:NAME")}.
 *
 * <pre>{@code
 * ClientSecurity security =
 *     ClientSecurity.tls()
 *         .withAuthority(Pem.file(Path.of("authority.crt")))
 *         .withKey(new AccessKey("orders-writer", Secret.of(secret)));
 * ClientConfig config = ClientConfig.of("host:7650").withSecurity(security);
 * }</pre>
 *
 * <p>No {@code toString}, message or log line of these types contains a secret.
 */
package io.tunnel.sdk.security;
