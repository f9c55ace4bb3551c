/**
 * The image of the server in containers of a real engine. Skipped, saying so, where there is none;
 * {@code it/containers/prepare.sh} provides one where it can.
 */
package io.tunnel.it.containers;
