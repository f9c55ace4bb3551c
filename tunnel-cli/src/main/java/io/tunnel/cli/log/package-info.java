/**
 * What every program logs, and where to: the one place that knows the logging backend. Nothing of
 * the backend is loaded before something is logged, so that {@code --help} and {@code health} do
 * not wait for it.
 */
package io.tunnel.cli.log;
