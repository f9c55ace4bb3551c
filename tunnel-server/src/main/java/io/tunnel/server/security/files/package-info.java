/**
 * What a server reads from its security directory, and again whenever it changes: {@link
 * io.tunnel.server.security.files.SecurityDirectory} with the master key and the administrators'
 * keys, {@link io.tunnel.server.security.files.Tls} with the certificates.
 */
package io.tunnel.server.security.files;
