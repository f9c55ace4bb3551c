/**
 * What the commands share that ask a server: a connection for one answer, options, and {@code
 * --watch}.
 */
package io.tunnel.cli.service;
