/**
 * The dashboards and alerts of {@code deploy}: read as files, held against the meters of a real
 * server, and evaluated by a real Prometheus.
 */
package io.tunnel.it.monitoring;
