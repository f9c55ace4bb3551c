/**
 * The files of a security directory, which the server reads again whenever they change: {@link
 * io.tunnel.server.security.files.SecurityDirectory} with the master key and the administrators'
 * keys, {@link io.tunnel.server.security.files.Tls} with the certificates.
 */
package io.tunnel.server.security.files;
