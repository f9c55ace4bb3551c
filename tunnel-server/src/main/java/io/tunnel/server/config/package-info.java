/** The settings of a server, and the file that they are read from. */
package io.tunnel.server.config;
