/**
 * Connections to the server: frames in and out, deadlines, reconnecting, repeating. Internal to the
 * SDK: may change in any version.
 */
package io.tunnel.sdk.transport;
