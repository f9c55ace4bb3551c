package io.tunnel.sdk.read;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.delivery.DeliveryLink;

/** A node, and the connection to it. */
record ReadNode(Endpoint endpoint, DeliveryLink link) {}
