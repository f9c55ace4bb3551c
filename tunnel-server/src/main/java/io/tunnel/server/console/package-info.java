/**
 * The console: pages for browsers, and the HTTP API behind them, on the port of health and metrics.
 * The console decides nothing about tables and tunnels. Each request of a page becomes one request
 * of the native protocol, made for the principal that logged in.
 */
package io.tunnel.server.console;
