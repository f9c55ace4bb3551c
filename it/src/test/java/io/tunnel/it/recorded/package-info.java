/**
 * Exchanges between a client and a server of the past, frame by frame: what was said then is
 * understood today.
 */
package io.tunnel.it.recorded;
