/**
 * What the server says of itself: meters in Prometheus' format, and the HTTP port that serves them.
 */
package io.tunnel.server.metrics;
