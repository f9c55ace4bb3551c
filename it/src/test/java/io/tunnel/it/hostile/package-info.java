/**
 * Clients that send wrong bytes, too many bytes or none, beside ordinary clients that must not
 * notice.
 */
package io.tunnel.it.hostile;
