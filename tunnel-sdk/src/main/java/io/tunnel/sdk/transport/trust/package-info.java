/**
 * How client and server know each other: the files of a client's security ({@link
 * io.tunnel.sdk.transport.trust.LoadedConfig}), the proof that it has a key ({@link
 * io.tunnel.sdk.transport.trust.KeyExchange}), and what a failed handshake means for people ({@link
 * io.tunnel.sdk.transport.trust.TlsFailures}).
 */
package io.tunnel.sdk.transport.trust;
