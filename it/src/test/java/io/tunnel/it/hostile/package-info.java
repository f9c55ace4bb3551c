/**
 * Clients that send what is wrong, too much or nothing, and the ordinary ones that must not notice.
 */
package io.tunnel.it.hostile;
