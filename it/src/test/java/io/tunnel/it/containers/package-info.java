/**
 * The image of the server in containers of a real engine. Without an engine the tests are skipped
 * and name the reason; {@code it/containers/prepare.sh} starts an engine.
 */
package io.tunnel.it.containers;
