/**
 * What moving, losing and holding channels costs, measured with real processes on loopback: the
 * program is {@link io.tunnel.bench.delivery.DeliveryMain}.
 */
package io.tunnel.bench.delivery;
