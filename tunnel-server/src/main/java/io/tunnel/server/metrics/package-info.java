/** Metrics of the server in Prometheus' format, and the HTTP port that serves them. */
package io.tunnel.server.metrics;
