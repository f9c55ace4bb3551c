/**
 * How client and server authenticate each other: the files of a client's security ({@link
 * io.tunnel.sdk.transport.trust.LoadedConfig}), and explanations of failed handshakes ({@link
 * io.tunnel.sdk.transport.trust.TlsFailures}).
 */
package io.tunnel.sdk.transport.trust;
