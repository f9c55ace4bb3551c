/**
 * Who a client is, and how it knows that the server is the right one: {@link
 * io.tunnel.sdk.security.ClientSecurity}, a part of {@link io.tunnel.sdk.ClientConfig}. Most
 * programs have it read from a profile: {@code ClientConfig.of("profile:NAME")}.
 *
 * <pre>{@code
 * ClientSecurity security =
 *     ClientSecurity.tls()
 *         .withAuthority(Pem.file(Path.of("authority.crt")))
 *         .withKey(new AccessKey("orders-writer", Secret.of(secret)));
 * ClientConfig config = ClientConfig.of("host:7650").withSecurity(security);
 * }</pre>
 *
 * <p>No text of anything here has a secret in it, be it {@code toString}, a message or a log.
 */
package io.tunnel.sdk.security;
